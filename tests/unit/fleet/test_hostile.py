"""Hostile text in every field that a fleet file may have: refused with a finding, or plain text.

The fields are found by walking the models, so that one that is added tomorrow is asked as well.
"""

from collections.abc import Iterator
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
import yaml
from pydantic import BaseModel, StringConstraints, ValidationError

from orchestrate.findings import Finding
from orchestrate.fleet import document, shapes, wording
from orchestrate.fleet.load import read
from orchestrate.fleet.models import Cluster, FleetFile, Site
from tests.hostile import HOSTILE

FILES: dict[str, type[BaseModel]] = {
    "fleet.yaml": FleetFile,
    "clusters/cluster-us-west.yaml": Cluster,
    "sites/site-sf.yaml": Site,
}
STRANGE = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
SIMPLE = {int: 1, bool: True, IPv4Network: "10.0.0.0/16", IPv4Address: "10.0.0.1"}
Path_ = tuple[str | int, ...]


def whole(kind: Any, constraint: StringConstraints | None = None) -> Any:
    """Right data of a type, with every field that there may be."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        said = next((one for one in arguments[1:] if isinstance(one, StringConstraints)), None)
        return whole(arguments[0], said)
    if origin in (Union, UnionType):
        return whole(next(one for one in arguments if one is not type(None)))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {name: _field(field) for name, field in kind.model_fields.items()}
    if constraint is not None:
        return shapes.IN_WORDS[str(constraint.pattern)][1].replace('"', "").replace("...", "")
    return _collection(origin, arguments) if origin else SIMPLE[kind]


def _collection(origin: Any, arguments: Any) -> Any:
    if origin is Literal:
        return arguments[0]
    one = whole(arguments[-1] if origin is dict else arguments[0])
    return {str(whole(arguments[0])): one} if origin is dict else [one]


def _field(field: Any) -> Any:
    least = next((one.ge for one in field.metadata if hasattr(one, "ge")), None)
    said = next((one for one in field.metadata if isinstance(one, StringConstraints)), None)
    return whole(field.annotation, said) if least is None else least


def scalars(data: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The path to every single value."""
    if isinstance(data, dict | list):
        for step, inner in data.items() if isinstance(data, dict) else enumerate(data):
            yield from scalars(inner, (*path, step))
    else:
        yield path


def replaced(data: Any, text: str, *, keys: bool) -> Any:
    """The data with the text in place of every value, or of every key that the file may choose."""
    if isinstance(data, list):
        return [replaced(one, text, keys=keys) for one in data]
    if not isinstance(data, dict):
        return data if keys else text
    free = keys and len(data) == 1
    return {text if free else key: replaced(one, text, keys=keys) for key, one in data.items()}


@cache
def right(name: str) -> Any:
    return whole(FILES[name])


def is_plain(text: str) -> bool:
    """What a field may take at most: a line of ASCII of a fair length."""
    return text.isascii() and text.isprintable() and len(text) <= 256


def is_told_well(found: Finding) -> bool:
    return bool(found.what and found.fix) and str(found).replace("\n    fix: ", "").isprintable()


@pytest.mark.parametrize("name", FILES)
def test_the_walk_reaches_every_field(name: str) -> None:
    """Else the tests below would pass for want of anything to ask."""
    try:
        FILES[name].model_validate(right(name))
    except ValidationError as error:  # the example of a key is none
        assert {one["type"] for one in error.errors()} == {"host_key"}
    assert len(list(scalars(right(name)))) > 15


@STRANGE
def test_a_value_is_refused_or_plain(text: str) -> None:
    for name, model in FILES.items():
        data = replaced(right(name), text, keys=False)
        with pytest.raises(ValidationError) as caught:
            model.model_validate(data)
        refused = {one["loc"] for one in caught.value.errors()}
        asked = [*scalars(data)]
        assert is_plain(text) or {*asked} <= refused
        found = wording.findings(caught.value, model, document.Document(name, "", data))
        assert len(found) >= sum(path in refused for path in asked)
        assert all(map(is_told_well, found))


@STRANGE
def test_a_key_is_refused_or_plain(text: str) -> None:
    for name, model in FILES.items():
        data = replaced(right(name), text, keys=True)
        with pytest.raises(ValidationError) as caught:
            model.model_validate(data)
        found = wording.findings(caught.value, model, document.Document(name, "", data))
        assert found
        assert all(map(is_told_well, found))


@STRANGE
def test_files_full_of_it_end_in_findings(tmp_path: Path, text: str) -> None:
    for keys in (False, True):
        for name in FILES:
            written = yaml.safe_dump(replaced(right(name), text, keys=keys), allow_unicode=True)
            write(tmp_path / "fleet" / name, written)
        assert_all_told(tmp_path / "fleet")


@STRANGE
def test_a_file_that_is_nothing_else_ends_in_findings(tmp_path: Path, text: str) -> None:
    """Not quoted: whatever YAML makes of it."""
    for name in FILES:
        write(tmp_path / "fleet" / name, f"name: {text}\n{text}: {text}\n")
    assert_all_told(tmp_path / "fleet")


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))


def assert_all_told(fleet: Path) -> None:
    reading = read(fleet)
    assert reading.errors
    assert all(map(is_told_well, reading.findings))


@pytest.mark.parametrize("depth", [60, 300, 450, 900, 5000])
@pytest.mark.parametrize("shape", ["[{}]", "{{a: {}}}", "- {}"])
def test_nesting_without_end_is_told(tmp_path: Path, shape: str, depth: int) -> None:
    begin, end = shape.replace("{{", "{").replace("}}", "}").split("{}")
    file = tmp_path / "fleet" / "fleet.yaml"
    file.parent.mkdir()
    file.write_text("name:\n  " + begin * depth + "1" + end * depth + "\n")
    assert "nested too deep" in str(read(tmp_path / "fleet").findings)
