"""What AWS offers, as committed: spot checks against AWS's own pages, and that moto agrees."""

import csv
from pathlib import Path

import pytest

from orchestrate.fleet.facts import instance_types, refresh, zones


@pytest.mark.parametrize(
    ("name", "cpus", "memory_gib", "gpus", "card"),
    [
        ("c5.9xlarge", 36, 72, 0, ""),
        ("g5.12xlarge", 48, 192, 4, "A10G"),
        ("p3dn.24xlarge", 96, 768, 8, "V100"),
        ("p4d.24xlarge", 96, 1152, 8, "A100"),
        ("p5.48xlarge", 192, 2048, 8, "H100"),
    ],
)
def test_known_types_have_what_aws_says(
    name: str, cpus: int, memory_gib: int, gpus: int, card: str
) -> None:
    """docs.aws.amazon.com/ec2/latest/instancetypes"""
    found = instance_types.find(name)
    assert found is not None
    assert (found.cpus, found.memory_mib / 1024, found.gpus, found.card) == (
        cpus,
        memory_gib,
        gpus,
        card,
    )


def test_every_line_of_the_committed_file_is_an_instance_type() -> None:
    assert len(instance_types.names()) > 1000
    assert all(instance_types.find(name) for name in instance_types.names())


def test_a_type_that_does_not_exist_is_none() -> None:
    assert instance_types.find("c5.33xlarge") is None


def test_every_region_has_zones_of_its_own() -> None:
    assert len(zones.known()) > 30
    for region, letters in zones.known().items():
        assert len(letters) >= 2
        assert all(zone[:-1] == region for zone in letters)


def test_refresh_writes_what_is_committed_where_the_facts_have_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Types come and go with moto's releases; those in both must be read in the same way."""
    committed = {row["type"]: row for row in _rows(refresh.HERE / "instance_types.csv")}
    monkeypatch.setattr(refresh, "HERE", tmp_path)
    refresh.main()
    fresh = {row["type"]: row for row in _rows(tmp_path / "instance_types.csv")}
    both = committed.keys() & fresh.keys()
    assert len(both) > 1000
    for name in both:
        assert {**committed[name], "regions": ""} == {**fresh[name], "regions": ""}


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
