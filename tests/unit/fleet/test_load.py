"""Reading a folder: what is there, what is missing, and how far reading goes on."""

import copy
import json
import shutil
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrate.errors import InvalidInput
from orchestrate.findings import Place
from orchestrate.fleet import document, wording
from orchestrate.fleet.load import load, read
from orchestrate.fleet.models import Cluster, FleetFile, Model, Site

ROOT = Path(__file__).resolve().parents[3]
BASE = ROOT / "tests" / "cases" / "fleet" / "base"
FILES: dict[str, type[Model]] = {
    "fleet.yaml": FleetFile,
    "clusters/cluster-west.yaml": Cluster,
    "sites/site-sf.yaml": Site,
}
WRITTEN = {file: yaml.safe_load((BASE / file).read_text()) for file in FILES}


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BASE, tmp_path / "fleet"))


def test_the_repositorys_own_fleet_has_no_errors() -> None:
    """It is the reader's to change: nothing else is asked of it, and warnings are only such."""
    assert [one for one in read(ROOT / "fleet").findings if one.level == "error"] == []


def test_clusters_and_sites_come_sorted_by_name(fleet: Path) -> None:
    loaded = load(fleet)
    assert list(loaded.clusters) == ["cluster-east", "cluster-west"]
    assert list(loaded.sites) == ["site-sf"]


def test_a_missing_folder_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        load(tmp_path / "fleet")
    assert [found.place for found in refused.value.findings] == [Place("fleet/fleet.yaml")]
    assert "orchestrate init" in str(refused.value)


def test_a_fleet_without_clusters_and_sites_is_one(fleet: Path) -> None:
    shutil.rmtree(fleet / "clusters")
    shutil.rmtree(fleet / "sites")
    assert load(fleet).clusters == {}


def test_warnings_alone_stop_nobody(fleet: Path) -> None:
    (fleet / "notes.yaml").write_text("a: 1\n")
    assert len(read(fleet).findings) == 1
    assert load(fleet).file.name == "lab"


def test_load_raises_with_every_finding_of_every_file(fleet: Path) -> None:
    for file in ("fleet.yaml", "clusters/cluster-west.yaml", "sites/site-sf.yaml"):
        path = fleet / file
        path.write_text(path.read_text() + "surprise: 1\n")
    with pytest.raises(InvalidInput) as refused:
        load(fleet)
    assert len({found.place.file for found in refused.value.findings}) == 3


def test_a_file_that_is_not_utf_8_is_a_finding(fleet: Path) -> None:
    (fleet / "clusters" / "cluster-east.yaml").write_bytes(b"name: \xff\n")
    assert [found.what for found in read(fleet).findings] == ["not UTF-8"]


def test_a_folder_called_like_a_file_is_a_finding(fleet: Path) -> None:
    (fleet / "clusters" / "cluster-north.yaml").mkdir()
    found = read(fleet).findings
    assert [one.what for one in found] == ["can't be read: is a directory"]


@pytest.mark.parametrize("name", ["clusters/cluster-north.yaml", "sites/site-north.yaml"])
def test_a_link_to_nowhere_is_a_finding_that_says_where_it_leads(fleet: Path, name: str) -> None:
    (fleet / name).symlink_to("../shared/north.yaml")
    (found,) = read(fleet).findings
    assert found.what == "can't be read: no such file or directory"
    assert "link to ../shared/north.yaml" in found.fix


def test_hidden_files_of_editors_are_left_alone(fleet: Path) -> None:
    (fleet / "clusters" / ".cluster-east.yaml.swp").write_text("x")
    (fleet / "clusters" / ".#cluster-east.yaml").write_text("x: [")
    assert read(fleet).findings == ()


def test_a_broken_fleet_yaml_hides_no_mistake_of_a_cluster(fleet: Path) -> None:
    (fleet / "fleet.yaml").write_text("name: [\n")
    west = fleet / "clusters" / "cluster-west.yaml"
    west.write_text(west.read_text().replace("min: 1", "min: 9"))
    assert {Path(found.place.file).name for found in read(fleet).findings} == {
        "fleet.yaml",
        "cluster-west.yaml",
    }


def damaged(file: str, path: tuple[str | int, ...], value: object) -> dict[str, object]:
    data: dict[str, object] = copy.deepcopy(WRITTEN[file])
    inner: Any = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return data


def paths(value: object, so_far: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of everything inside `value`."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    if isinstance(value, list):
        inner = list(enumerate(value))
    return [p for key, one in inner for p in [(*so_far, key), *paths(one, (*so_far, key))]]


PLACES = [(file, path) for file in FILES for path in paths(WRITTEN[file])]
# What people write by mistake, and what only a program would.
JUNK: list[object] = [
    *(None, True, -1, 10**9, 1.5, "", "é", "x" * 400, "2026-11-29", "10.0.0.1", "10.0.0.1/8"),
    *([], ["é"], [None], [[]], ["a"] * 9, {}, {"é": 1}, {"strange": {}}, {"Name": "x"}),
]


@pytest.mark.parametrize("file", FILES)
def test_no_value_anywhere_is_answered_in_pydantics_words(file: str) -> None:
    """Whatever stands wherever: each finding has its line, words of ours and a fix."""
    answered = 0
    for path, value in product((path for name, path in PLACES if name == file), JUNK):
        text = document.read(json.dumps(damaged(file, path, value), ensure_ascii=False), file)
        assert text.data is not None
        try:
            FILES[file].model_validate(text.data)
        except ValidationError as error:
            found = wording.findings(error, FILES[file], text)
            answered += len(found)
            assert found
            assert [one for one in found if not one.fix or not one.place.line] == []
            assert [one for one in found if one.fix == wording.UNSURE] == []
    assert answered > 100


@given(st.sampled_from(PLACES), st.sampled_from(JUNK))
def test_a_broken_value_never_breaks_the_rules(
    place: tuple[str, tuple[str | int, ...]], value: object
) -> None:
    """What is salvaged of a broken file goes through every rule without an exception."""
    file, path = place
    with TemporaryDirectory() as folder:
        fleet = Path(shutil.copytree(BASE, Path(folder) / "fleet"))
        (fleet / file).write_text(yaml.safe_dump(damaged(file, path, value)))
        reading = read(fleet)
        assert reading.fleet is not None or reading.errors
