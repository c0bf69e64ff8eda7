"""The story of a run, with a real API for the states and a Terraform whose part is written down."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from orchestrate import apply, clock
from orchestrate.apply import Request
from orchestrate.brought_up import Wanted
from orchestrate.cli.progress import Silent
from orchestrate.errors import NotConfirmed, StalePlan, StateLocked
from orchestrate.runs import history, journal
from orchestrate.runs.choose import LivingDependents
from orchestrate.runs.data_guard import DataWouldBeLost
from orchestrate.runs.journal import State
from orchestrate.runs.schedule import Outcome
from orchestrate.target import Target
from orchestrate.terraform.events import Event
from orchestrate.terraform.log import human
from orchestrate.terraform.roots import Stack
from tests.unit.stories import STACKS, Person, Story, outcomes

HERE = socket.gethostname()


def test_what_reads_another_stack_waits_for_it_under_the_same_confirmation(story: Story) -> None:
    person = Person()
    report = story.run(person)
    assert person.asked == [set(STACKS)]
    assert person.shown == [set(STACKS), {"mesh"}]
    assert outcomes(report) == dict.fromkeys(STACKS, "done")
    assert report.exit_code == 0


def test_a_plan_made_late_that_takes_something_away_is_asked_about_again(story: Story) -> None:
    story.writes("mesh", ("delete", "aws_route.old"))
    person = Person()
    story.run(person)
    assert person.asked == [set(STACKS), {"mesh"}]


def test_nothing_is_applied_without_consent(story: Story) -> None:
    with pytest.raises(NotConfirmed):
        story.run(Person(answer=False))
    assert all("apply" not in story.asked(stack) for stack in STACKS)
    (run,) = history.past_runs(story.work.runs)
    assert (run.exit_code, run.cause) == (1, "not confirmed; nothing was changed by this plan")
    assert history.last_run(story.work.runs, Target("lab")) is None, "nothing is to be resumed"


def test_nobody_is_asked_when_there_is_nothing_to_do(story: Story) -> None:
    story.exists(*STACKS)
    for stack in STACKS:
        story.writes(stack)
    person = Person(answer=False)
    assert story.run(person).exit_code == 0
    assert person.asked == []


def test_s6_a_failed_stack_skips_what_needs_it_and_the_rest_goes_on(story: Story) -> None:
    story.writes("west", ("create", "aws_vpc.this"), fails=True)
    report = story.run(Person())
    assert outcomes(report) == {
        "global": "done",
        "east": "done",
        "west": "failed",
        "mesh": "skipped",
    }
    assert report.applied["mesh"].because == "west"
    assert report.exit_code == 1


def test_a_plan_that_fails_leaves_every_stack_alone(story: Story) -> None:
    (story.work.build / "west" / "plan.tfplan").unlink()
    person = Person()
    report = story.run(person)
    assert report.planned["west"].outcome is Outcome.FAILED
    assert (person.asked, report.applied, report.exit_code) == ([], {}, 1)


def test_data_that_is_not_named_stops_the_run_before_it_asks(story: Story) -> None:
    story.writes("west", ("delete", 'aws_s3_bucket.this["results"]'))
    person = Person()
    with pytest.raises(DataWouldBeLost, match="west/bucket/results"):
        story.run(person)
    assert person.asked == []
    story.run(person, destroy_data=("west/bucket/results",))
    assert "apply" in story.asked("west")


def test_s7_destroying_takes_only_what_is_named_and_dependents_first(story: Story) -> None:
    story.exists(*STACKS)
    with pytest.raises(LivingDependents, match="global is needed by east, mesh, west"):
        story.run(Person(), "global", destroying=True)
    report = story.run(Person(), "west", "mesh", destroying=True)
    assert outcomes(report) == {"west": "done", "mesh": "done"}
    assert story.asked("global") == []


def test_s3_a_saved_plan_is_refused_for_all_stacks_when_one_is_stale(
    story: Story, tmp_path: Path
) -> None:
    story.exists("global", "east")
    request = Request("plan", ("orchestrate",), ("east",))
    saved = tmp_path / "saved"
    assert apply.plan(story.work, request, Person(), saved).exit_code == 2
    story.exists("east", serial=2)
    with pytest.raises(StalePlan, match="east: the state has moved on by 1 version"):
        apply.apply_saved(story.work, request, saved, Person())
    assert "apply" not in story.asked("global")
    story.exists("east", serial=1)
    report = apply.apply_saved(story.work, request, saved, Person())
    assert {result.outcome for result in report.applied.values()} == {Outcome.DONE}


def held_by_another(story: Story, stack: str, created: str) -> None:
    """Somebody else has a stack's state, and Terraform says that it waits for it."""
    lock = {"ID": "5f1c", "Who": f"ada@{HERE}", "Operation": "OperationTypeApply"}
    body = json.dumps({**lock, "Created": created}).encode()
    s3 = story.work.session.s3("us-west-2")
    s3.put_object(Bucket=story.work.bucket.name, Key=f"{stack}.tfstate.tflock", Body=body)
    (story.work.build / stack / "plan.jsonl").write_text(
        json.dumps({"type": "state_lock_acquire", "@message": "Acquiring state lock."}) + "\n"
    )


@dataclass
class Listener(Silent):
    """Hears what is told of each stack on the way."""

    heard: list[tuple[str, str]] = field(default_factory=list)

    def event(self, stack: str, event: Event) -> None:
        self.heard.append((stack, human(event)))


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch, story: Story) -> Iterator[Listener]:
    heard = Listener()
    monkeypatch.setattr(Person, "progress", lambda _: nullcontext(heard))
    yield heard
    s3 = story.work.session.s3("us-west-2")
    s3.delete_object(Bucket=story.work.bucket.name, Key="west.tfstate.tflock")


def test_whose_lock_it_is_that_a_stack_waits_for_is_told_at_once(
    story: Story, listener: Listener
) -> None:
    held_by_another(story, "west", "2026-11-29T21:00:00Z")
    apply.plan(story.work, Request("plan", ("orchestrate",), ("west",)), Person())
    since = f"held by ada@{HERE} (apply, since 2026-11-29 21:00:00 UTC)"
    assert ("west", f"waits for the lock of the state, {since}") in listener.heard


def test_a_lock_that_a_killed_run_left_ends_the_wait_and_names_the_remedy(
    story: Story, listener: Listener
) -> None:
    dead = subprocess.Popen(["sleep", "600"])
    run = journal.begin(story.work.runs, command="apply", argv=[], target="lab", stacks=["west"])
    run.stack("west", State.APPLYING)
    run.child("west", dead.pid)
    dead.kill()
    dead.wait()
    held_by_another(story, "west", f"{clock.now():%Y-%m-%dT%H:%M:%SZ}")
    # One of this very moment could be our own.
    later = clock.now() + timedelta(seconds=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("orchestrate.state_locks.clock.now", lambda: later)
        planned = apply.plan(story.work, Request("plan", ("orchestrate",), ("west",)), Person())
    error = planned.planned["west"].error
    assert isinstance(error, StateLocked)
    assert error.fix == "orchestrate unlock west 5f1c"
    assert run.id in error.what


CLUSTER = "cluster-us-west"


def of_one_cluster(story: Story, *changes: tuple[str, str]) -> Story:
    work = replace(story.work, stacks={CLUSTER: Stack(CLUSTER, "us-west-2")})
    (work.build / CLUSTER).mkdir(parents=True)
    shutil.copy(work.build / "west" / "plan.tfplan", work.build / CLUSTER)
    told = Story(work)
    told.writes(CLUSTER, *changes)
    return told


@pytest.mark.parametrize(
    ("changes", "differ", "asked"),
    [
        ([("create", "aws_vpc.this")], ["cpu-1", "cpu-2"], [["cpu-1", "cpu-2"]]),
        ([("create", "aws_vpc.this")], [], [[]]),
        ([], ["cpu-1"], [["cpu-1"]]),
    ],
    ids=["both", "stacks alone", "hosts alone"],
)
def test_one_question_is_about_stacks_and_hosts_in_use(
    story: Story,
    monkeypatch: pytest.MonkeyPatch,
    changes: list[tuple[str, str]],
    differ: list[str],
    asked: list[list[str]],
) -> None:
    monkeypatch.setattr("orchestrate.bring_up.differing", lambda *_: differ)
    person = Person(answer=False)
    with pytest.raises(NotConfirmed):
        of_one_cluster(story, *changes).run(person, hosts=Wanted(clock.now()))
    assert person.hosts == asked


def test_hosts_in_use_are_not_looked_at_where_they_are_left_alone(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrate.bring_up.differing", lambda *_: ["cpu-1"])
    person = Person(answer=False)
    with pytest.raises(NotConfirmed):
        of_one_cluster(story, ("create", "aws_vpc.this")).run(
            person, hosts=Wanted(clock.now(), converge=False)
        )
    assert person.hosts == [[]]
