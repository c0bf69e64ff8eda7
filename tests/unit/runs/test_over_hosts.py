"""The journal of a run over hosts, and the code it exits with."""

from pathlib import Path

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.results import Outcome, Result, Results
from orchestrate.runs import history, over_hosts
from orchestrate.target import Target

LAB = Target("lab")


@pytest.mark.parametrize(
    ("outcomes", "interrupted", "why_run", "code"),
    [
        ([], False, False, 0),
        ([Outcome.UNCHANGED, Outcome.CHANGED], False, False, 0),
        ([Outcome.UNCHANGED, Outcome.CHANGED], False, True, 2),
        ([Outcome.UNCHANGED], False, True, 0),
        ([Outcome.CHANGED, Outcome.FAILED], False, True, 1),
        ([Outcome.CHANGED, Outcome.UNREACHABLE], False, False, 1),
        ([Outcome.FAILED, Outcome.NOT_STARTED], False, False, 1),
        ([Outcome.CHANGED, Outcome.NOT_STARTED], True, False, 130),
        ([Outcome.FAILED, Outcome.LEFT], True, False, 130),
    ],
)
def test_s5_the_exit_code_says_what_is_worst(
    outcomes: list[Outcome], interrupted: bool, why_run: bool, code: int
) -> None:
    results = Results(tuple(Result("h", each) for each in outcomes), interrupted=interrupted)
    assert over_hosts.exit_code(results, why_run=why_run) == code


@pytest.mark.parametrize(
    ("outcomes", "interrupted", "code"),
    [([], False, 1), ([Outcome.CHANGED], False, 1), ([Outcome.CHANGED], True, 130)],
)
def test_what_was_named_and_left_out_fails_the_run(
    outcomes: list[Outcome], interrupted: bool, code: int
) -> None:
    results = Results(tuple(Result("h", each) for each in outcomes), interrupted=interrupted)
    assert over_hosts.exit_code(results, ["cpu"]) == code
    assert over_hosts.exit_code(results, ["cpu"], why_run=True) == code


def test_the_journal_says_how_each_host_ended(tmp_path: Path) -> None:
    names = ["good", "bad", "away", "left", "waiting"]
    with over_hosts.begin(tmp_path, "converge", ["orchestrate"], LAB, names) as journal:
        over_hosts.note(journal, Result("good", Outcome.CHANGED, seconds=1.25))
        over_hosts.note(journal, Result("bad", Outcome.FAILED, "its disk is full"))
        over_hosts.note(journal, Result("away", Outcome.UNREACHABLE))
        over_hosts.note(journal, Result("left", Outcome.LEFT))
        over_hosts.note(journal, Result("waiting", Outcome.NOT_STARTED))
        journal.end(1)
    (run,) = history.past_runs(tmp_path)
    assert (run.command, run.exit_code) == ("converge", 1)
    assert {name: record.state for name, record in run.stacks.items()} == {
        "good": "converged",
        "bad": "failed",
        "away": "unreachable",
        "left": "interrupted",
        "waiting": None,
    }
    assert run.stacks["bad"].details["cause"] == "its disk is full"


def test_a_run_over_hosts_is_none_that_an_apply_resumes(tmp_path: Path) -> None:
    with over_hosts.begin(tmp_path, "converge", [], LAB, ["h"]) as journal:
        journal.end(1)
    assert history.last_run(tmp_path, LAB) is None


def test_an_error_ends_the_journal_with_its_code(tmp_path: Path) -> None:
    with (
        pytest.raises(OrchestrateError),
        over_hosts.begin(tmp_path, "roll", [], LAB, ["g"]),
    ):
        raise OrchestrateError("no")
    assert history.past_runs(tmp_path)[0].exit_code == 1
