"""What `orchestrate check` finds in the ledger."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from orchestrate.fleet.load import load
from orchestrate.ipam import ledger
from orchestrate.ipam.check import findings

from .fleets import DOCKER, POOLS, fleet_of

TODAY = date(2026, 11, 29)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "fleet").mkdir()
    return tmp_path / "fleet" / ledger.NAME


def whats(path: Path, fleet: Any) -> list[str]:
    return [finding.what for finding in findings(fleet, path, TODAY)]


def line_of(path: Path, key: str) -> int:
    lines = path.read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.startswith(f"  {key}:"))


def test_a_ledger_that_has_what_the_fleet_wants_is_fine(path: Path) -> None:
    fleet = fleet_of("a", "b", sites=("s",))
    ledger.write(path, fleet, TODAY)
    assert findings(fleet, path, TODAY) == []


def test_the_example_fleets_ledger_is_fine() -> None:
    folder = Path(__file__).parents[2] / "golden" / "example" / "fleet"
    assert findings(load(folder), folder / ledger.NAME, TODAY) == []


def test_missing_ranges_are_a_warning_that_names_a_few(path: Path) -> None:
    (finding,) = findings(fleet_of("a"), path, TODAY)
    assert finding.level == "warning"
    assert finding.what.startswith("no range yet for a/vpc, a/private/us-west-2a")
    assert "orchestrate addresses --write" in finding.fix


def test_every_corruption_is_passed_on(path: Path) -> None:
    path.write_text("version: 9\n")
    assert whats(path, fleet_of("a")) == ["this ledger has version '9', and only 1 is known here"]


def test_s13_a_range_of_the_ledger_over_an_external_range(path: Path) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    theirs = {"range": "10.1.128.0/17", "why": "the other department"}
    (finding,) = findings(fleet_of("a", external=[DOCKER, theirs]), path, TODAY)
    assert finding.what == (
        "a/vpc has 10.1.0.0/16, which overlaps 10.1.128.0/17 (the other department)"
    )
    assert finding.place.line == line_of(path, "a/vpc")


@pytest.mark.parametrize(
    ("key", "pool", "moved"),
    [
        ("a/vpc", "vpn", "10.1.0.0/18"),
        ("a/vpc", "pods", "10.1.0.0/16"),
        ("a/vpc", "sites", "10.1.0.0/20"),
        ("a/vpn-clients", "pods", "10.80.0.0/16"),
    ],
)
def test_s13_a_range_of_the_ledger_over_another_pool(
    path: Path, key: str, pool: str, moved: str
) -> None:
    first = ledger.write(path, fleet_of("a"), TODAY).after
    pools = {**POOLS, "cloud": {"range": "10.32.0.0/11"}, "vpn": {"range": "10.84.0.0/14"}}
    fleet = fleet_of("a", pools={**pools, pool: {"range": moved}})
    has = f"{key} has {first.allocations[key]}, which overlaps pool '{pool}' ({moved})"
    assert has in whats(path, fleet)


@pytest.mark.parametrize("over", ["a/vpc", "a/vpn-clients", "a/pods", "a/services"])
def test_s13_a_site_lan_over_a_range_of_the_ledger(path: Path, over: str) -> None:
    ranges = ledger.write(path, fleet_of("a"), TODAY).after.allocations
    lans = {"servers": {"range": str(next(ranges[over].subnets(new_prefix=24)))}}
    found = whats(path, fleet_of("a", sites=("s",), lans=lans))
    lan = lans["servers"]["range"]
    assert f"s/lan/servers is fixed at {lan}, which overlaps {ranges[over]} of {over}" in found


def test_s13_a_site_lan_over_dockers_bridge(path: Path) -> None:
    fleet = fleet_of(sites=("s",), lans={"servers": {"range": "172.17.8.0/24"}})
    assert whats(path, fleet) == [
        "s/lan/servers is fixed at 172.17.8.0/24, which overlaps 172.17.0.0/16 (Docker)"
    ]


def test_what_was_reserved_after_it_was_given(path: Path) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    cloud = {"range": "10.0.0.0/10", "reserved": ["10.0.0.0/15"]}
    found = whats(path, fleet_of("a", pools={**POOLS, "cloud": cloud}))
    assert found == [
        "a/vpc has 10.1.0.0/16, which overlaps the reserved 10.0.0.0/15 of pool 'cloud'"
    ]


def test_a_fixed_lan_may_lie_in_reserved_addresses(path: Path) -> None:
    sites = {"range": "10.64.0.0/12", "reserved": ["10.64.0.0/16"]}
    lans = {"servers": {"range": "10.64.0.0/20"}}
    fleet = fleet_of(sites=("s",), lans=lans, pools={**POOLS, "sites": sites})
    ledger.write(path, fleet, TODAY)
    assert findings(fleet, path, TODAY) == []


def test_full_pools_and_collisions_are_said_at_once(path: Path) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    cloud = {"range": "10.1.0.0/16", "reserved": ["10.1.0.0/20"]}
    found = whats(path, fleet_of("a", "b", pools={**POOLS, "cloud": cloud}))
    assert len(found) == 2
    assert any("reserved 10.1.0.0/20" in what for what in found)
    assert any("no room for b/vpc (/16)" in what for what in found)
