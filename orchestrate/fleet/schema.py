"""The JSON schemas of the fleet files, by which editors complete and explain keys.

Reads its own package's source, for the strings below the models' fields, and what was written
before.
"""

import ast
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from pydantic import BaseModel

from orchestrate.findings import Finding, Place
from orchestrate.fleet import models

FOLDER = "schema"

FILES: Mapping[str, type[BaseModel]] = {
    "fleet.json": models.FleetFile,
    "cluster.json": models.Cluster,
    "site.json": models.Site,
}


def schemas() -> dict[str, str]:
    """Each schema's text, by the name of its file."""
    return {name: _text(model) for name, model in FILES.items()}


def stale(folder: Path) -> Iterator[Finding]:
    """A warning for each schema in the fleet's folder that isn't what the models say by now."""
    for name, text in schemas().items():
        file = folder / FOLDER / name
        if file.is_file() and file.read_text(encoding="utf-8") != text:
            place = Place(f"{folder.name}/{FOLDER}/{name}")
            what = "not what this version's files may say: editors complete and underline by it"
            yield Finding(place, what, "run `orchestrate schema`", "warning")


def _text(model: type[BaseModel]) -> str:
    schema = model.model_json_schema()
    for name, part in {model.__name__: schema, **schema.get("$defs", {})}.items():
        for field, shape in part.get("properties", {}).items():
            shape.pop("title", None)
            description = _descriptions().get((name, field))
            if description:
                shape["description"] = description
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**dialect, **schema}, indent=2, ensure_ascii=False) + "\n"


@cache
def _descriptions() -> dict[tuple[str, str], str]:
    """What stands below each field, by model and field."""
    classes = [one for module in _modules() for one in ast.parse(inspect.getsource(module)).body]
    return {
        (one.name, field): text
        for one in classes
        if isinstance(one, ast.ClassDef)
        for field, text in _below_fields(one)
    }


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(models.__path__, f"{models.__name__}."):
        yield importlib.import_module(found.name)


def _below_fields(one: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(one.body, one.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)
