"""`orchestrate graph`."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from orchestrate.errors import OrchestrateError

Run = Callable[..., Result]


def test_the_outline_has_every_cluster_and_site_with_its_range(orchestrate: Run) -> None:
    shown = orchestrate("graph").output
    assert "├── cluster-us-west  us-west-2 · us-west.deeplab.example.net" in shown
    assert "site-sf" in shown
    assert "vpc  10.3.0.0/16" in shown


def test_names_narrow_it(orchestrate: Run) -> None:
    shown = orchestrate("graph", "cluster-eu-west").output
    assert "cluster-us-west" not in shown


def test_the_picture_goes_where_it_is_told(orchestrate: Run, tmp_path: Path) -> None:
    path = tmp_path / "pictures" / "fleet.svg"
    assert str(path) in orchestrate("graph", "--svg", str(path)).output
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert orchestrate("graph", "--svg", "-").output == path.read_text()


def test_programs_get_the_same_content(orchestrate: Run) -> None:
    told = json.loads(orchestrate("graph", "site-sf", "--json").output)
    assert told["sites"][0]["lans"]["servers"] == "10.64.0.0/20"


def test_a_wrong_name_names_the_nearest(orchestrate: Run) -> None:
    error = orchestrate("graph", "cluster-us-wset", "site-fs").exception
    assert isinstance(error, OrchestrateError)
    assert "did you mean 'cluster-us-west'" in str(error)
    assert "did you mean 'site-sf'" in str(error)


def test_a_place_that_cannot_be_written_is_named(orchestrate: Run, repository: Path) -> None:
    blocked = repository / "fleet" / "fleet.yaml" / "graph.svg"
    error = orchestrate("graph", "--svg", str(blocked)).exception
    assert isinstance(error, OrchestrateError)
    assert str(blocked) in str(error)


@pytest.mark.parametrize("flags", [["--text", "--json"], ["--svg", "-", "--json"]])
def test_two_forms_at_once_are_refused(orchestrate: Run, flags: list[str]) -> None:
    assert orchestrate("graph", *flags).exit_code == 2
