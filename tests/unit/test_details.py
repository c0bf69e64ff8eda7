"""What a run that was asked for details hands on: attribute by attribute, of what changes."""

import json
from pathlib import Path

from orchestrate import apply
from orchestrate.apply import Request
from orchestrate.terraform.differences import Difference
from orchestrate.terraform.plan import StackPlan
from tests.unit.stories import Person, Story

ADDRESS = "aws_autoscaling_group.this"
MORE = (Difference("max_size", 100, 120),)
SHOWN = {
    "resource_changes": [
        {
            "address": ADDRESS,
            "change": {
                "actions": ["update"],
                "before": {"max_size": 100},
                "after": {"max_size": 120},
            },
        }
    ]
}


def changed(story: Story) -> None:
    """One stack that changes, one that does not."""
    story.exists("global", "west")
    story.writes("global")
    story.writes("west", ("update", ADDRESS))
    (story.work.build / "west" / "show.jsonl").write_text(json.dumps(SHOWN) + "\n")


def rows(plan: object) -> object:
    assert isinstance(plan, StackPlan)
    return plan.differences


def test_details_are_read_of_stacks_that_change_and_of_no_other(story: Story) -> None:
    changed(story)
    request = Request("plan", ("orchestrate",), ("west",), details=True)
    report = apply.plan(story.work, request, Person())
    assert rows(report.planned["west"].value) == {ADDRESS: MORE}
    assert story.asked("west").count("show") == 1
    assert "show" not in story.asked("global")


def test_nobody_who_did_not_ask_waits_for_details(story: Story) -> None:
    changed(story)
    report = apply.plan(story.work, Request("plan", ("orchestrate",), ("west",)), Person())
    assert rows(report.planned["west"].value) == {}
    assert "show" not in story.asked("west")


def test_a_saved_plan_is_applied_with_details_too(story: Story, tmp_path: Path) -> None:
    changed(story)
    saved = tmp_path / "saved"
    apply.plan(story.work, Request("plan", ("orchestrate",), ("west",)), Person(), saved)
    request = Request("apply", ("orchestrate",), details=True)
    report = apply.apply_saved(story.work, request, saved, Person())
    assert rows(report.planned["west"].value) == {ADDRESS: MORE}
    assert story.asked("west")[-2:] == ["show", "apply"]


def test_an_engine_that_shows_nothing_is_an_error_of_its_stack(story: Story) -> None:
    changed(story)
    (story.work.build / "west" / "show.jsonl").unlink()
    request = Request("plan", ("orchestrate",), ("west",), details=True)
    report = apply.plan(story.work, request, Person())
    assert "terraform show told no plan" in str(report.planned["west"].error)
    assert report.exit_code == 1
