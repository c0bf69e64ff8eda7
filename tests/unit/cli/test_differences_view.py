"""What a change changes, as a person and as a program read it."""

import json

import pytest
from rich.markup import render

from orchestrate.changes import Action, Change
from orchestrate.cli import summary
from orchestrate.cli.differences_view import as_json, lines
from orchestrate.terraform.differences import Difference
from orchestrate.terraform.plan import StackPlan


def text(*rows: Difference) -> list[str]:
    return [render(line).plain.strip() for line in lines(rows)]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Difference("max_size", 100, 120), ["max_size: 100 → 120"]),
        (Difference("on", before=True, after=False), ["on: true → false"]),
        (Difference("name", after="x"), ["name: x"]),
        (Difference("name", before="x"), ["name: x → (none)"]),
        (Difference("psk", sensitive=True), ["psk: (sensitive) → (sensitive)"]),
        (
            Difference("version", 3, known=False, replaces=True),
            ["version: 3 → (known after the apply)  forces replacement"],
        ),
        (
            Difference("max", 7, 9, drifted=True),
            ["max: 7 → 9  (changed outside of Terraform)"],
        ),
        (
            Difference("cidrs", added=("10.3.0.0/16",), removed=("10.1.0.0/16", "10.2.0.0/16")),
            ["cidrs:", "- 10.1.0.0/16", "- 10.2.0.0/16", "+ 10.3.0.0/16"],
        ),
        (
            Difference("user_data", "a\nb: [1]\nc\n", "a\nb: [2]\nc\n"),
            ["user_data:", "@@ -1,3 +1,3 @@", "a", "-b: [1]", "+b: [2]", "c"],
        ),
        (Difference("tag[a]", "[bold]", "[red]"), ["tag[a]: [bold] → [red]"]),
    ],
)
def test_a_row_reads_at_once(row: Difference, said: list[str]) -> None:
    assert text(row) == said


def test_a_very_long_value_is_cut() -> None:
    (line,) = text(Difference("policy", "x" * 1000, "y"))
    assert len(line) < 200
    assert "…" in line


def test_programs_get_values_and_no_secret() -> None:
    assert as_json(Difference("n", 1, 2)) == {"path": "n", "before": 1, "after": 2}
    assert as_json(Difference("s", sensitive=True)) == {"path": "s", "sensitive": True}
    assert as_json(Difference("c", added=("a",), known=False)) == {
        "path": "c",
        "added": ["a"],
        "removed": [],
        "known_after_apply": True,
    }


def test_the_same_change_of_many_resources_is_told_once() -> None:
    row = (Difference("tags_all.team", "a", "b"),)
    changes = tuple(Change("west", f"aws_eip.{n}", "aws_eip", Action.CHANGE) for n in range(3))
    rows = {change.address: row for change in changes}
    plan = StackPlan("west", changes, empty=False, differences=rows)
    ((_, said),) = summary.details({"west": plan}, everything=True)
    shown = [" ".join(render(line).plain.split()) for line in said]
    assert shown == [
        "change west aws_eip.0",
        "change west aws_eip.1",
        "change west aws_eip.2",
        "tags_all.team: a → b",
    ]
    told = json.dumps(summary._planned_json(plan, None))
    assert told.count('"path": "tags_all.team"') == 3
