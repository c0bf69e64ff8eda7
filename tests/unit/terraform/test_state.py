import json
import zipfile
from pathlib import Path

import pytest

from orchestrate.errors import StalePlan
from orchestrate.terraform.state import (
    NOTHING,
    Position,
    output_names,
    planned_position,
    position,
    why_stale,
)

BORN = Position("1f1196f0-23d0-f18b-e42e-5edea613f95d", 3)


def state(at: Position) -> bytes:
    return json.dumps({"version": 4, "lineage": at.lineage, "serial": at.serial}).encode()


@pytest.mark.parametrize("missing", [None, b"", b"\n"])
def test_no_state_is_nothing(missing: bytes | None) -> None:
    assert position(missing) == NOTHING


def test_the_outputs_of_a_state_are_those_an_apply_came_to() -> None:
    assert output_names(None) == output_names(state(BORN)) == frozenset()
    told = json.dumps({"outputs": {"vpc_id": {"value": "vpc-1"}, "zone": {"value": "x."}}})
    assert output_names(told.encode()) == {"vpc_id", "zone"}


def test_a_saved_plan_knows_the_state_it_was_made_from(tmp_path: Path) -> None:
    plan = tmp_path / "west.tfplan"
    with zipfile.ZipFile(plan, "w") as archive:
        archive.writestr("tfplan", b"\x00")
        archive.writestr("tfstate", state(BORN))
    assert planned_position(plan) == BORN


def test_a_file_that_is_no_plan_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme", "hello")
    for name in ("text", "other.zip", "missing"):
        with pytest.raises(StalePlan, match="not a saved plan"):
            planned_position(tmp_path / name)


@pytest.mark.parametrize(
    ("current", "why"),
    [
        (BORN, ""),
        (Position(BORN.lineage, 4), "moved on by 1 version since"),
        (Position(BORN.lineage, 9), "moved on by 6 versions since"),
        (Position(BORN.lineage, 2), "set back to an older version"),
        (Position("another", 3), "another one now"),
        (NOTHING, "its state is gone"),
    ],
)
def test_a_plan_fits_only_the_very_state_it_was_made_from(current: Position, why: str) -> None:
    found = why_stale(BORN, current)
    assert why in found
    assert bool(why) == bool(found)


def test_a_plan_made_before_the_first_apply_goes_stale_with_it() -> None:
    assert why_stale(NOTHING, NOTHING) == ""
    assert "first time" in why_stale(NOTHING, BORN)
