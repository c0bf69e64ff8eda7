from dataclasses import replace

import pytest

from orchestrate.runs.history import Run, StackRecord
from orchestrate.runs.journal import State
from orchestrate.runs.processes import Process
from orchestrate.runs.resume import half_made, lock_is_orphaned, unfinished

OWNER = Process("buildhost", 100, "boot:1")
CHILD = Process("buildhost", 101, "boot:2")
SINCE = "2026-11-29T22:15:04+00:00"
AT_WORK = StackRecord(State.APPLYING, child=CHILD, child_since=SINCE)
RUN = Run(
    id="20261129-221500-3fa1",
    command="apply",
    argv=("orchestrate", "apply", "--all"),
    target="aws",
    owner=OWNER,
    started="2026-11-29T22:15:00+00:00",
    stacks={"global": StackRecord(State.APPLIED), "west": AT_WORK, "mesh": StackRecord()},
)


def nobody(process: Process) -> bool:
    return False


def everybody(process: Process) -> bool:
    return True


def test_a_killed_run_says_what_it_was_at_and_how_to_go_on() -> None:
    left = unfinished(RUN, nobody)
    assert left
    assert left.left == ("mesh", "west")
    assert left.command == "orchestrate apply mesh west --target aws"
    assert left.message == (
        "run 20261129-221500-3fa1 (apply, aws) was killed while at work on west; "
        "done: global; left: mesh, west"
    )


def test_a_terraform_that_outlived_its_run_is_named() -> None:
    left = unfinished(RUN, lambda process: process == CHILD)
    assert left
    assert left.orphans == {"west": CHILD}
    assert "process 101 on buildhost" in left.message


def test_a_run_that_is_going_on_has_left_nothing() -> None:
    assert unfinished(RUN, everybody) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"exit_code": 130}, "was interrupted"),
        ({"exit_code": 1, "stacks": {"west": StackRecord(State.FAILED)}}, "failed at west"),
        ({"exit_code": 1}, "did not come to its end"),
        ({"stacks": {"west": StackRecord(State.PLANNED)}}, "was killed; done: nothing"),
    ],
)
def test_how_a_run_came_to_leave_something_is_told(change: dict[str, object], says: str) -> None:
    left = unfinished(replace(RUN, **change), nobody)  # type: ignore[arg-type]
    assert left
    assert says in left.message


def test_a_run_that_did_all_or_changes_nothing_has_left_nothing() -> None:
    done = {"global": StackRecord(State.APPLIED), "west": StackRecord(State.APPLIED)}
    assert unfinished(replace(RUN, stacks=done), nobody) is None
    assert unfinished(replace(RUN, command="plan"), nobody) is None


def interrupted(*addresses: str) -> Run:
    record = StackRecord(State.INTERRUPTED, {"half_made": list(addresses)}, applying=True)
    return replace(RUN, stacks={"west": record})


def test_what_interrupted_runs_were_making_counts_since_the_stack_was_last_whole() -> None:
    whole = replace(RUN, stacks={"west": StackRecord(State.APPLIED, applying=True)})
    refused = replace(RUN, stacks={"west": StackRecord(State.PLANNED)})
    other = replace(RUN, stacks={"east": StackRecord(State.INTERRUPTED, {"half_made": ["c"]})})
    runs = [refused, interrupted("a"), other, interrupted("b"), whole, interrupted("d")]
    assert half_made(runs, "west") == {"a", "b"}
    assert half_made(runs, "mesh") == set()


def orphaned(
    record: StackRecord = AT_WORK,
    who: str = "ops@buildhost",
    created: str = "2026-11-29 22:15:05 UTC",
    alive: bool = False,
) -> bool:
    run = replace(RUN, stacks={"west": record})
    return lock_is_orphaned(run, "west", who, created, everybody if alive else nobody)


@pytest.mark.parametrize("created", ["2026-11-29 22:15:05 UTC", "2026-11-29T22:15:05.847918004Z"])
def test_a_lock_taken_by_a_terraform_of_ours_that_is_gone_is_nobodys(created: str) -> None:
    assert orphaned(created=created)


@pytest.mark.parametrize(
    "doubt",
    [
        {"alive": True},
        {"who": "ops@elsewhere"},
        {"who": "buildhost@elsewhere"},
        {"created": "2026-11-29 22:15:03 UTC"},
        {"created": "2026-11-29 23:15:05 UTC"},
        {"created": "yesterday"},
        {"record": replace(AT_WORK, state=State.FAILED)},
        {"record": replace(AT_WORK, state=State.APPLIED)},
        {"record": replace(AT_WORK, child=None)},
    ],
)
def test_in_any_doubt_a_lock_is_somebodys(doubt: dict[str, object]) -> None:
    assert not orphaned(**doubt)  # type: ignore[arg-type]


def test_a_lock_on_a_stack_the_run_had_nothing_to_do_with_is_somebodys() -> None:
    assert not lock_is_orphaned(RUN, "east", "ops@buildhost", SINCE, nobody)
