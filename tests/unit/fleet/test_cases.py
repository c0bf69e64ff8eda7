"""Broken fleets and every finding about them: the cases in tests/cases/fleet."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrate.findings import Finding, Place
from orchestrate.fleet.load import read

CASES = Path(__file__).resolve().parents[2] / "cases" / "fleet"
BASE = CASES / "base"


def cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{file.stem}: {case['about']}")
        for file in sorted(CASES.glob("*.yaml"))
        for case in yaml.safe_load(file.read_text(encoding="utf-8"))
    ]


def broken(case: dict[str, Any], folder: Path) -> Path:
    """A copy of the base fleet with the case's changes."""
    fleet = folder / "fleet"
    shutil.copytree(BASE, fleet)
    for name, text in case.get("write", {}).items():
        (fleet / name).parent.mkdir(exist_ok=True)
        (fleet / name).write_text(text, encoding="utf-8")
    for edit in case.get("edit", []):
        file = fleet / edit["file"]
        before = file.read_text(encoding="utf-8")
        assert edit["replace"] in before, "the case no longer fits the base fleet"
        file.write_text(before.replace(edit["replace"], edit["by"], 1), encoding="utf-8")
    return fleet


def expected(case: dict[str, Any]) -> list[Finding]:
    return [_finding(**wanted) for wanted in case["findings"]]


def _finding(at: str, fix: str, error: str = "", warning: str = "") -> Finding:
    file, _, line = at.partition(":")
    place = Place(f"fleet/{file}", int(line or 0))
    return Finding(place, error or warning, fix, "error" if error else "warning")


@pytest.mark.parametrize("case", cases())
def test_a_broken_fleet_gives_these_findings_and_no_others(
    case: dict[str, Any], tmp_path: Path
) -> None:
    assert list(read(broken(case, tmp_path)).findings) == expected(case)


def test_the_base_fleet_has_no_findings() -> None:
    assert read(BASE).findings == ()
