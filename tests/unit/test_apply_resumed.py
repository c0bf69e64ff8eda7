"""An apply after one that was interrupted: what was being made is kept, and lost is nothing."""

import json
import socket

import pytest

from orchestrate import apply
from orchestrate.apply import Request
from orchestrate.cli import summary
from orchestrate.execution import Plan
from orchestrate.run_report import Report
from orchestrate.runs import journal
from orchestrate.runs.data_guard import DataWouldBeLost
from orchestrate.runs.journal import State
from tests.unit.stories import Person, Story

HERE = socket.gethostname()


def interrupted_at(story: Story, stack: str, address: str, how: str = "half_made") -> None:
    """An earlier run was interrupted while it made a resource, which its state has as tainted."""
    run = journal.begin(
        story.work.runs, command="apply", argv=[], target="lab", stacks=[stack, "east"]
    )
    run.stack(stack, State.APPLYING)
    run.stack(stack, State.INTERRUPTED, cause="interrupted", **{how: [address]})
    run.end(130)
    kind, _, name = address.partition(".")
    one = {"mode": "managed", "type": kind, "name": name, "instances": [{"status": "tainted"}]}
    body = json.dumps({"lineage": "abc", "serial": 1, "resources": [one]}).encode()
    s3 = story.work.session.s3("us-west-2")
    s3.put_object(Bucket=story.work.bucket.name, Key=f"{stack}.tfstate", Body=body)


def test_an_apply_keeps_what_an_interrupted_one_was_making(story: Story) -> None:
    interrupted_at(story, "west", "aws_route53_zone.public")
    story.run(Person())
    assert story.asked("west") == ["untaint", "plan", "apply"]
    assert "untaint" not in story.asked("east")


def test_a_plan_changes_no_state_not_even_a_taint(story: Story) -> None:
    interrupted_at(story, "west", "aws_route53_zone.public")
    apply.plan(story.work, Request("plan", ("orchestrate",), ("west",)), Person())
    assert story.asked("west") == ["plan"]


@pytest.mark.parametrize(
    ("action", "address", "told"),
    [
        ("replace", "aws_route53_zone.public", 1),
        ("replace", "aws_vpc.this", 0),
        ("update", "aws_route53_zone.public", 0),
    ],
    ids=["it was being made", "another's mark", "it stays anyway"],
)
def test_a_plan_says_what_of_its_replacements_an_apply_would_keep(
    story: Story, action: str, address: str, told: int
) -> None:
    interrupted_at(story, "west", "aws_route53_zone.public")
    story.writes("west", (action, address))
    person = Person()
    report = apply.plan(story.work, Request("plan", ("orchestrate",), ("west",)), person)
    assert ["making 1 of what this plan replaces" in line for line in person.told] == [True] * told
    assert summary.report_json(report)["notes"] == person.told


def test_a_taint_that_no_interrupt_left_stays(story: Story) -> None:
    interrupted_at(story, "west", "aws_vpc.other")
    interrupted_at(story, "west", "aws_vpc.this")
    state = story.work.state_of("west")
    assert state
    s3 = story.work.session.s3("us-west-2")
    s3.put_object(
        Bucket=story.work.bucket.name,
        Key="west.tfstate",
        Body=state.replace(b'"this"', b'"by_hand"'),
    )
    story.run(Person())
    assert "untaint" not in story.asked("west")


@pytest.mark.parametrize("tainted", [True, False], ids=["not finished", "finished since"])
def test_a_file_system_that_a_failed_run_never_finished_is_made_anew_without_a_word(
    story: Story, tainted: bool
) -> None:
    home = "aws_efs_file_system.home"
    interrupted_at(story, "west", home, "broken")
    if not tainted:
        state = story.work.state_of("west")
        assert state
        body = state.replace(b"tainted", b"")
        s3 = story.work.session.s3("us-west-2")
        s3.put_object(Bucket=story.work.bucket.name, Key="west.tfstate", Body=body)
    story.writes("west", ("replace", home))
    if tainted:
        report = story.run(Person(), "west")
        assert report.exit_code == 0
        headings = dict(summary.details({"west": planned(report, "west")}, everything=False))
        assert "[bold red]Data that would be lost[/]" not in headings
        return
    with pytest.raises(DataWouldBeLost):
        story.run(Person(), "west")


def planned(report: Report, stack: str) -> Plan:
    plan = report.planned[stack].value
    assert plan
    return plan
