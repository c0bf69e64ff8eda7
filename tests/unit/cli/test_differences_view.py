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
            Difference("policy", '{"Statement": ["' + "s3:Get" * 20 + '"]}', known=False),
            ["policy: (known after the apply)"],
        ),
        (
            Difference("user_data", "a\nb\n", known=False),
            ["user_data: (known after the apply)"],
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


def shown(action: Action, numbers: dict[str, int]) -> list[str]:
    """The details of a plan with so many resources of each type; one row each, the type's own."""
    changes = tuple(
        Change("west", f"{kind}.{n}", kind, action)
        for kind, number in numbers.items()
        for n in range(number)
    )
    rows = {
        change.address: (Difference("max" if change.resource_type == "aws_asg" else "tag", 1, 2),)
        for change in changes
    }
    plan = StackPlan("west", changes, empty=False, differences=rows)
    ((_, said), *_) = summary.details({"west": plan}, everything=True)
    return [" ".join(render(line).plain.split()) for line in said]


def test_of_very_many_that_change_alike_the_types_are_told_and_what_is_particular_stands_last() -> (
    None
):
    assert shown(Action.CHANGE, {"aws_asg": 1, "aws_eip": 7, "aws_subnet": 40}) == [
        "change west 47 resources alike, named by --json:",
        "40 aws_subnet, 7 aws_eip",
        "tag: 1 → 2",
        "change west aws_asg.0",
        "max: 1 → 2",
    ]


@pytest.mark.parametrize("action", [Action.REPLACE, Action.DESTROY])
def test_what_goes_is_named_however_many_there_are(action: Action) -> None:
    assert [line for line in shown(action, {"aws_eip": 40}) if "aws_eip." in line] == [
        f"{action} west aws_eip.{n}" for n in range(40)
    ]
