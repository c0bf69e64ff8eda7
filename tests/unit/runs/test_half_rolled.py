import json
from dataclasses import asdict
from typing import Any

import pytest

from orchestrate.hosts.rolling import to_give_back
from orchestrate.runs import history, processes
from orchestrate.runs.half_rolled import half_rolled

GROUP = "cpu.west"
STARTED = {
    "at": "t",
    "event": "started",
    "command": "roll",
    "argv": [],
    "target": "lab",
    "stacks": [GROUP],
    "owner": asdict(processes.this()),
}


def run(*events: dict[str, Any]) -> history.Run:
    lines = [json.dumps({"at": "t", "stack": GROUP, **event}) for event in (STARTED, *events)]
    found = history.parse("r1", lines)
    assert found
    return found


def surge(wanted: int, extra: int) -> dict[str, Any]:
    return {"event": "surge", "wanted": wanted, "extra": extra}


def group_is(state: str, cause: str = "") -> dict[str, Any]:
    return {"event": "stack", "state": state, "cause": cause}


def ended(code: int, cause: str = "") -> dict[str, Any]:
    return {"event": "ended", "exit_code": code, "cause": cause}


@pytest.mark.parametrize(
    ("events", "why", "extra"),
    [
        ([surge(3, 2)], "was killed", 2),
        ([surge(3, 2), surge(3, 1)], "was killed", 1),
        ([surge(3, 2), surge(3, 0), group_is("interrupted"), ended(130)], "was interrupted", 0),
        ([group_is("failed", "no capacity"), ended(1)], "ended early: no capacity", 0),
        ([surge(3, 1), ended(1, "the API is gone")], "ended early: the API is gone", 1),
    ],
)
def test_the_next_roll_is_told_what_was_left(
    events: list[dict[str, Any]], why: str, extra: int
) -> None:
    half = half_rolled(run(*events), GROUP, lambda _: False)
    assert half
    assert (half.why, half.extra) == (why, extra)
    assert str(half) == f"the last roll of {GROUP} (run r1) {why}; this one goes on with it"


@pytest.mark.parametrize(
    ("events", "alive"),
    [
        ([group_is("converged"), ended(0)], False),
        ([surge(3, 1)], True),
        ([ended(1, "another group failed first")], False),
    ],
    ids=["done", "going on", "never begun"],
)
def test_nothing_was_left(events: list[dict[str, Any]], alive: bool) -> None:
    assert half_rolled(run(*events), GROUP, lambda _: alive) is None


@pytest.mark.parametrize(
    ("desired", "back"), [(4, 1), (3, 0), (2, 0), (9, 1)], ids=["all", "had", "fewer", "more"]
)
def test_only_what_the_roll_added_is_given_back(desired: int, back: int) -> None:
    assert to_give_back(desired, wanted=3, extra=1) == back
