"""The JSON schemas for editors: current, explained, and as strict as the models."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from orchestrate.fleet.schema import FILES, schemas, stale

FLEET = Path(__file__).resolve().parents[3] / "fleet"
EXAMPLE = Path(__file__).resolve().parents[2] / "golden" / "example" / "fleet"
WRITTEN = [
    *[("fleet.json", EXAMPLE / "fleet.yaml")],
    *[("cluster.json", file) for file in sorted((EXAMPLE / "clusters").glob("*.yaml"))],
    *[("site.json", file) for file in sorted((EXAMPLE / "sites").glob("*.yaml"))],
]


@pytest.mark.parametrize("name", FILES)
def test_the_committed_schema_is_current(name: str) -> None:
    """Refresh with `orchestrate schema`."""
    assert (FLEET / "schema" / name).read_text(encoding="utf-8") == schemas()[name]


def test_a_schema_of_another_version_is_told(tmp_path: Path) -> None:
    (tmp_path / "fleet" / "schema").mkdir(parents=True)
    for name, text in schemas().items():
        older = text.replace("gpu-worker", "worker") if name == "cluster.json" else text
        (tmp_path / "fleet" / "schema" / name).write_text(older, encoding="utf-8")
    (only,) = stale(tmp_path / "fleet")
    assert str(only.place) == "fleet/schema/cluster.json"
    assert only.fix == "run `orchestrate schema`"


def test_a_fleet_without_schemas_is_not_asked_for_any(tmp_path: Path) -> None:
    assert list(stale(tmp_path)) == []


@pytest.mark.parametrize(("name", "file"), WRITTEN, ids=lambda value: Path(value).name)
def test_a_file_points_editors_to_its_schema_and_keeps_it(name: str, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    pointer = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    assert (file.parent / pointer).resolve() == (EXAMPLE / "schema" / name).resolve()
    schema = json.loads(schemas()[name])
    assert [e.message for e in Draft202012Validator(schema).iter_errors(yaml.safe_load(text))] == []


@pytest.mark.parametrize("name", FILES)
def test_a_schema_is_one_and_refuses_unknown_keys(name: str) -> None:
    schema = json.loads(schemas()[name])
    Draft202012Validator.check_schema(schema)
    errors = Draft202012Validator(schema).iter_errors({"surprise": 1})
    assert any("surprise" in error.message for error in errors)


def test_a_key_whose_name_does_not_say_it_all_is_explained() -> None:
    cluster: dict[str, Any] = json.loads(schemas()["cluster.json"])
    group = cluster["$defs"]["NodeGroup"]["properties"]
    assert group["max"]["description"] == "The autoscaler buys at most so many hosts."
    silent = {key for key, shape in group.items() if "description" not in shape}
    assert silent == {"description"}


def test_the_guide_names_every_key() -> None:
    guide = (FLEET.parent / "docs" / "guides" / "fleet.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", guide, flags=re.DOTALL)
    explained = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`\n]+)`", prose))))
    assert [key for key in keys() if key not in explained] == []


def keys() -> set[str]:
    """Every key of every file's models."""
    found: set[str] = set()
    for text in schemas().values():
        schema = json.loads(text)
        for part in [schema, *schema["$defs"].values()]:
            found |= part.get("properties", {}).keys()
    return found
