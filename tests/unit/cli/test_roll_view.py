"""What is said at the end of a roll: every group that was named is in it."""

from dataclasses import replace
from typing import Any, cast

from orchestrate.cli import roll_view
from orchestrate.roll import Rolled
from orchestrate.roll_plan import Plan
from tests.unit.scaling_group import NEW, cloud


def group(label: str, old: tuple[str, ...]) -> Plan:
    return Plan(replace(cloud().group, tags={"group": label, "cluster": "c"}), NEW, old)


PLANS = [group("first", ("old1",)), group("second", ("old2",)), group("third", ())]


def test_groups_whose_turn_never_came_or_that_had_nothing_to_do_are_told_of() -> None:
    stopped = Rolled("first.c", replaced=(), left=("old1",), cause="the new new1 is not in order")
    said = [_plain(line) for line in roll_view.last_words(PLANS, [stopped], {})]
    assert said[-3:] == [
        "second.c: not begun",
        "third.c: nothing to replace",
        "\nto go on: orchestrate roll first.c second.c",
    ]


def test_a_program_reads_which_were_begun() -> None:
    told = cast("dict[str, Any]", roll_view.as_json(PLANS, [], "r1", 130)["groups"])
    assert {label: one["begun"] for label, one in told.items()} == dict.fromkeys(
        ("first.c", "second.c", "third.c"), False
    )


def _plain(text: str) -> str:
    from rich.text import Text

    return Text.from_markup(text).plain
