"""The ledger's text: byte-stable, valid YAML, and every corruption named with its line."""

from datetime import date
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrate.errors import InvalidInput
from orchestrate.ipam import grammar
from orchestrate.ipam.records import Allocation, Ledger, Resting, ledger_of

CASES = sorted((Path(__file__).parents[2] / "cases" / "ipam" / "corrupt").glob("*.yaml"))
COMMITTED = Path(__file__).parents[2] / "golden" / "example" / "fleet" / "addresses.lock.yaml"
SMALL = ledger_of(
    {
        "b/vpc": Allocation("b/vpc", IPv4Network("10.1.0.0/16"), pool="cloud"),
        "b/private/z1": Allocation("b/private/z1", IPv4Network("10.1.0.0/19"), inside="b/vpc"),
    },
    [
        Resting(Allocation("a/vpc", IPv4Network("10.2.0.0/16"), pool="cloud"), date(2026, 11, 1)),
        Resting(Allocation("c/vpc", IPv4Network("10.3.0.0/16"), pool="cloud"), date(2026, 11, 2)),
    ],
)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_corrupt_ledger_is_refused_with_every_place_and_its_fix(path: Path) -> None:
    case: dict[str, Any] = yaml.safe_load(path.read_text())
    with pytest.raises(InvalidInput) as refused:
        grammar.parse(case["ledger"], "ledger.yaml")
    found = refused.value.findings
    assert [finding.place.line for finding in found] == [one["line"] for one in case["findings"]]
    for finding, told in zip(found, case["findings"], strict=True):
        assert finding.place.file == "ledger.yaml"
        assert told["what"] in finding.what
        assert told["fix"] in finding.fix


@pytest.mark.parametrize("ledger", [Ledger(), SMALL], ids=["empty", "small"])
def test_what_is_written_reads_back_the_same(ledger: Ledger) -> None:
    text = grammar.write(ledger)
    assert grammar.parse(text, "x") == ledger
    assert grammar.write(grammar.parse(text, "x")) == text


def test_the_order_in_which_ranges_were_given_does_not_show() -> None:
    backwards = ledger_of(dict(list(SMALL.given.items())[::-1]), SMALL.resting[::-1])
    assert grammar.write(backwards) == grammar.write(SMALL)


def test_any_yaml_reader_reads_the_same_ledger() -> None:
    loaded = yaml.safe_load(grammar.write(SMALL))
    assert loaded == {
        "version": 1,
        "allocations": {
            "b/private/z1": {"range": "10.1.0.0/19", "inside": "b/vpc"},
            "b/vpc": {"range": "10.1.0.0/16", "pool": "cloud"},
        },
        "resting": [
            {
                "range": "10.2.0.0/16",
                "pool": "cloud",
                "was": "a/vpc",
                "released": date(2026, 11, 1),
            },
            {
                "range": "10.3.0.0/16",
                "pool": "cloud",
                "was": "c/vpc",
                "released": date(2026, 11, 2),
            },
        ],
    }


def test_ranges_know_their_lines() -> None:
    lines = grammar.write(SMALL).splitlines()
    given = grammar.parse("\n".join(lines), "x").given["b/vpc"]
    assert lines[given.line - 1].startswith("  b/vpc:")


def test_the_committed_ledger_is_as_orchestrate_writes_it() -> None:
    text = COMMITTED.read_text()
    assert grammar.write(grammar.parse(text, "x")) == text
