"""The allocator's decisions, as data: tests/cases/ipam/allocate."""

from datetime import date
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrate.errors import InvalidInput
from orchestrate.fleet.models import Addresses
from orchestrate.fleet.ranges import RangeRequest
from orchestrate.ipam.allocate import allocate
from orchestrate.ipam.records import Allocation, Ledger, Resting, ledger_of

CASES = sorted((Path(__file__).parents[2] / "cases" / "ipam" / "allocate").glob("*.yaml"))
TODAY = date(2026, 11, 29)


def case(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text())
    return loaded


def allocation(key: str, record: dict[str, Any]) -> Allocation:
    home = {name: record[name] for name in ("pool", "inside") if name in record}
    return Allocation(key, IPv4Network(record["range"]), **home)


def resting(records: list[dict[str, Any]]) -> list[Resting]:
    return [Resting(allocation(rest["was"], rest), rest["released"]) for rest in records]


def ledger_before(case: dict[str, Any]) -> Ledger:
    given = {key: allocation(key, record) for key, record in case.get("ledger", {}).items()}
    return ledger_of(given, resting(case.get("resting_before", [])))


def request_of(record: dict[str, Any]) -> RangeRequest:
    fixed = IPv4Network(record["fixed"]) if "fixed" in record else None
    return RangeRequest(**{**record, "fixed": fixed})


def run(case: dict[str, Any]) -> Ledger:
    return allocate(
        Addresses(**case["addresses"]),
        ledger_before(case),
        [request_of(record) for record in case["wants"]],
        case.get("today", TODAY),
    )


REFUSED = [path for path in CASES if "findings" in case(path)]
GIVEN = [path for path in CASES if path not in REFUSED]


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_is_refused_with_every_finding(path: Path) -> None:
    told = case(path)
    with pytest.raises(InvalidInput) as refused:
        run(told)
    found = {(finding.what, finding.fix) for finding in refused.value.findings}
    assert found == {(finding["what"], finding["fix"]) for finding in told["findings"]}


@pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.stem)
def test_is_given(path: Path) -> None:
    told = case(path)
    after = run(told)
    assert {key: str(given) for key, given in after.allocations.items()} == told["gives"]
    assert after == ledger_of(after.given, resting(told.get("resting", [])))


@pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.stem)
def test_allocating_again_changes_nothing(path: Path) -> None:
    told = case(path)
    after = run(told)
    assert run({**told, "ledger": {}, "resting_before": [], **written(after)}) == after


def written(ledger: Ledger) -> dict[str, Any]:
    """The ledger in the words of a case."""

    def record(given: Allocation) -> dict[str, Any]:
        home = {"pool": given.pool} if given.pool else {"inside": given.inside}
        return {"range": str(given.range), **home}

    return {
        "ledger": {key: record(given) for key, given in ledger.given.items()},
        "resting_before": [
            {**record(rest.was), "was": rest.was.key, "released": rest.released}
            for rest in ledger.resting
        ],
    }
