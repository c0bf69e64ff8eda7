import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.runs import history, journal, processes
from orchestrate.runs.history import Run
from orchestrate.runs.journal import Journal, State, run_id
from orchestrate.target import Target


def begun(runs: Path, command: str = "apply", target: str = "lab") -> Journal:
    argv = ["orchestrate", command, "--all"]
    return journal.begin(runs, command=command, argv=argv, target=target, stacks=["west", "global"])


def read(run: Journal) -> Run:
    return history.find(run.folder.parent, run.id)


def test_a_runs_name_sorts_by_time() -> None:
    names = [run_id(datetime(2026, 11, 29, hour, 15, 4, tzinfo=UTC), "3fa1") for hour in (9, 22)]
    assert names == ["20261129-091504-3fa1", "20261129-221504-3fa1"]


def test_what_a_run_writes_can_be_read_back(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.stack("global", State.APPLYING)
    run.child("global", None)
    run.child("global", os.getpid())
    run.child("west", None)
    run.stack("global", State.APPLIED, seconds=1.5)
    run.stack("west", State.FAILED, cause="no capacity")
    run.end(1)
    told = read(run)
    assert told.argv == ("orchestrate", "apply", "--all")
    assert (told.command, told.target, told.exit_code) == ("apply", "lab", 1)
    assert told.owner == processes.this()
    assert told.stacks["global"].state is State.APPLIED
    assert told.stacks["global"].details == {"seconds": 1.5}
    assert told.stacks["global"].child == processes.this()
    assert told.stacks["west"].details == {"cause": "no capacity"}
    assert told.stacks["west"].child is None
    assert told.among(State.FAILED) == ("west",)


def test_a_run_that_is_going_on_has_no_exit_code_and_stacks_without_a_state(tmp_path: Path) -> None:
    told = read(begun(tmp_path))
    assert told.exit_code is None
    assert told.among(None) == ("global", "west")


def test_a_line_torn_anywhere_costs_only_itself(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.stack("global", State.APPLIED)
    whole = (run.folder / journal.FILE).read_text()
    run.stack("west", State.APPLYING)
    last = (run.folder / journal.FILE).read_text()[len(whole) :]
    for end in range(len(last) - 1):
        told = history.parse("x", (whole + last[:end]).splitlines())
        assert told
        assert told.among(State.APPLIED) == ("global",)
        assert told.among(None) == ("west",)


def test_a_journal_is_readable_on_after_a_torn_line(tmp_path: Path) -> None:
    run = begun(tmp_path)
    with (run.folder / journal.FILE).open("a") as file:
        file.write('{"at": "2026-11-29T22:15\x00\n')
    run.stack("west", State.APPLIED)
    assert read(run).among(State.APPLIED) == ("west",)


def test_lines_of_a_later_version_are_passed_over() -> None:
    lines = [json.dumps({"event": "from the future"}), "[]", "null", "7"]
    assert history.parse("x", lines) is None


def test_a_first_line_that_is_torn_makes_no_run(tmp_path: Path) -> None:
    folder = tmp_path / "20261129-221504-3fa1"
    folder.mkdir()
    assert history.past_runs(tmp_path) == []
    (folder / journal.FILE).write_text('{"event": "star')
    assert history.past_runs(tmp_path) == []


def test_many_threads_write_whole_lines(tmp_path: Path) -> None:
    run = begun(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        for number in range(400):
            pool.submit(run.stack, f"stack-{number}", State.PLANNED, cause="x" * 500)
    lines = (run.folder / journal.FILE).read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == 401


def test_plans_are_for_their_owners_eyes_only(tmp_path: Path) -> None:
    run = begun(tmp_path)
    assert run.plans.stat().st_mode & 0o077 == 0
    assert run.plan("west").parent == run.plans
    assert run.log("west").parent == run.logs


def test_the_last_run_that_could_change_something_is_found(tmp_path: Path) -> None:
    for number, (command, target) in enumerate(
        [("destroy", "lab"), ("apply", "aws"), ("apply", "lab"), ("plan", "lab")]
    ):
        run = begun(tmp_path, command, target)
        run.folder.rename(tmp_path / f"20261129-22150{number}-3fa1")
    last = history.last_run(tmp_path, Target("lab"))
    assert last
    assert last.id == "20261129-221502-3fa1"
    assert history.last_run(tmp_path / "none", Target("lab")) is None


def test_a_run_is_found_by_a_part_of_its_name_that_is_its_own(tmp_path: Path) -> None:
    for name in ("20261129-221504-3fa1", "20261129-221504-77c0"):
        begun(tmp_path).folder.rename(tmp_path / name)
    assert history.find(tmp_path, "77c0").id == "20261129-221504-77c0"
    with pytest.raises(OrchestrateError, match="no run '20261129'") as raised:
        history.find(tmp_path, "20261129")
    assert "20261129-221504-3fa1, 20261129-221504-77c0" in raised.value.fix
    with pytest.raises(OrchestrateError) as raised:
        history.find(tmp_path / "none", "77c0")
    assert raised.value.fix == "there are no runs yet"


def test_past_runs_come_the_oldest_first(tmp_path: Path) -> None:
    for name in ("20261129-221504-3fa1", "20261128-221504-77c0"):
        begun(tmp_path).folder.rename(tmp_path / name)
    assert [run.id for run in history.past_runs(tmp_path)] == [
        "20261128-221504-77c0",
        "20261129-221504-3fa1",
    ]


def test_what_an_earlier_lab_failed_at_is_not_this_one_s(tmp_path: Path) -> None:
    for number, cloud in enumerate(["a1", "b2"]):
        run = journal.begin(
            tmp_path, command="apply", argv=[], target="lab", stacks=["west"], cloud=cloud
        )
        run.stack("west", State.APPLYING)
        run.end(1)
        run.folder.rename(tmp_path / f"20261129-22150{number}-3fa1")
    found = [history.last_run(tmp_path, Target("lab", cloud=cloud)) for cloud in ("a1", "b2", "c3")]
    assert [run and run.id[14] for run in found] == ["0", "1", None]


def test_a_run_that_was_refused_is_none_to_be_resumed_and_hides_none(tmp_path: Path) -> None:
    first = begun(tmp_path)
    first.stack("west", State.APPLYING)
    first.stack("west", State.FAILED, cause="no capacity")
    first.end(1)
    first.folder.rename(tmp_path / "20261129-221501-3fa1")
    for number, planned in enumerate([(), ("global", "west")], start=2):
        refused = begun(tmp_path)
        for stack in planned:
            refused.stack(stack, State.PLANNED)
        refused.end(1, "this plan destroys data")
        refused.folder.rename(tmp_path / f"20261129-22150{number}-3fa1")
    last = history.last_run(tmp_path, Target("lab"))
    assert last
    assert last.id == "20261129-221501-3fa1"


def test_a_run_that_was_refused_halfway_is_to_be_resumed(tmp_path: Path) -> None:
    run = begun(tmp_path)
    run.stack("global", State.APPLYING)
    run.stack("global", State.APPLIED)
    run.end(1, "not confirmed")
    assert history.last_run(tmp_path, Target("lab")) == read(run)


def test_lines_of_another_shape_are_passed_over() -> None:
    assert (
        history.parse("r", ["[" * 100_000, "[]", "3", '"started"', "null", '{"event": []}']) is None
    )
