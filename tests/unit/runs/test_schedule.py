import graphlib
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrate.errors import Interrupted, TerraformError
from orchestrate.runs.schedule import Ahead, Outcome, Result, execute, heights
from orchestrate.shell import Stop

FLEET = {
    "global": set[str](),
    "east": {"global"},
    "west": {"global"},
    "mesh": {"east", "west"},
    "alone": set[str](),
}


def outcomes(results: Mapping[str, Result[Any]]) -> dict[str, str]:
    return {stack: result.outcome.value for stack, result in results.items()}


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, set[str]]:
    """Up to twelve stacks, each after some of those before it."""
    names = [f"stack-{number}" for number in range(draw(st.integers(0, 12)))]
    return {
        name: draw(st.sets(st.sampled_from(names[:place]))) if place else set()
        for place, name in enumerate(names)
    }


class Witness:
    """Work that notes what was done before it and how many were at work with it."""

    def __init__(self, failing: frozenset[str] = frozenset()) -> None:
        self.lock = threading.Lock()
        self.at_work = 0
        self.most_at_work = 0
        self.done_before: dict[str, set[str]] = {}
        self.done: set[str] = set()
        self.failing = failing

    def __call__(self, stack: str) -> str:
        with self.lock:
            self.at_work += 1
            self.most_at_work = max(self.most_at_work, self.at_work)
            self.done_before[stack] = set(self.done)
        try:
            if stack in self.failing:
                raise TerraformError("no")
        finally:
            with self.lock:
                self.at_work -= 1
                self.done.add(stack)
        return stack.upper()


@given(graphs(), st.integers(1, 4), st.data())
def test_every_stack_is_accounted_for_after_those_it_needs(
    after: dict[str, set[str]], slots: int, data: st.DataObject
) -> None:
    failing = data.draw(st.sets(st.sampled_from(sorted(after)))) if after else set()
    witness = Witness(frozenset(failing))
    results = execute(after, witness, slots=slots, stop=Stop())
    assert results.keys() == after.keys()
    assert witness.most_at_work <= slots
    for stack, needs in after.items():
        fine = all(results[need].outcome is Outcome.DONE for need in needs)
        if not fine:
            assert results[stack].outcome is Outcome.SKIPPED
            assert results[results[stack].because].outcome is Outcome.FAILED
            assert stack not in witness.done_before
        else:
            failed = stack in failing
            assert results[stack].outcome is (Outcome.FAILED if failed else Outcome.DONE)
            assert needs <= witness.done_before[stack]


def test_a_failure_skips_those_that_need_it_and_lets_the_others_finish() -> None:
    results = execute(FLEET, Witness(frozenset({"west"})), slots=2, stop=Stop())
    assert outcomes(results) == {
        "global": "done",
        "east": "done",
        "west": "failed",
        "mesh": "skipped",
        "alone": "done",
    }
    assert results["mesh"].because == "west"
    assert isinstance(results["west"].error, TerraformError)
    assert results["east"].value == "EAST"


def test_as_many_as_there_are_slots_are_at_work_together() -> None:
    together = threading.Barrier(3)
    execute({"a": (), "b": (), "c": ()}, lambda _: together.wait(), slots=3, stop=Stop())
    assert not together.broken


def test_after_a_stop_nothing_new_is_started() -> None:
    stop = Stop()

    def work(stack: str) -> None:
        if stack == "global":
            stop.request()
            raise Interrupted("interrupted")

    results = execute(FLEET, work, slots=1, stop=stop)
    assert outcomes(results) == {
        "global": "interrupted",
        "east": "not started",
        "west": "not started",
        "mesh": "not started",
        "alone": "not started",
    }


def test_a_stack_whose_need_failed_is_skipped_even_after_a_stop() -> None:
    stop = Stop()

    def work(stack: str) -> None:
        stop.request()
        raise TerraformError("no")

    results = execute({"a": set(), "b": {"a"}}, work, slots=1, stop=stop)
    assert outcomes(results) == {"a": "failed", "b": "skipped"}


def test_a_bug_stops_the_others_and_comes_to_light() -> None:
    stop = Stop()

    def work(stack: str) -> None:
        if stack == "a":
            raise ZeroDivisionError
        while not stop.requested:
            pass

    with pytest.raises(ZeroDivisionError):
        execute({"a": (), "b": ()}, work, slots=2, stop=stop)
    assert stop.requested


def test_a_circle_is_refused() -> None:
    with pytest.raises(graphlib.CycleError):
        execute({"a": {"b"}, "b": {"a"}}, str.upper, slots=1, stop=Stop())


def test_the_stack_that_most_wait_for_is_first() -> None:
    order: list[str] = []
    after = {"a-leaf": set[str](), "z-root": set[str](), "middle": {"z-root"}, "end": {"middle"}}
    execute(after, order.append, slots=1, stop=Stop())
    assert order[0] == "z-root"
    assert heights(after) == {"a-leaf": 0, "z-root": 2, "middle": 1, "end": 0}


def test_start_and_end_are_told_on_the_callers_thread() -> None:
    told: list[tuple[str, str, bool]] = []
    here = threading.get_ident()

    def started(stack: str) -> None:
        told.append(("started", stack, threading.get_ident() == here))

    def ended(result: Result[str]) -> None:
        told.append((result.outcome, result.stack, threading.get_ident() == here))

    after = {"a": set[str](), "b": {"a"}, "c": {"b"}}
    work = Witness(frozenset({"b"}))
    execute(after, work, slots=1, stop=Stop(), started=started, ended=ended)
    assert told == [
        ("started", "a", True),
        ("done", "a", True),
        ("started", "b", True),
        ("failed", "b", True),
        ("skipped", "c", True),
    ]


def test_what_is_far_enough_lets_others_begin_before_it_ends() -> None:
    ahead, begun = Ahead(), threading.Event()

    def work(stack: str) -> str:
        if stack == "global":
            ahead.far_enough("global")
            assert begun.wait(10), "nobody began meanwhile"
        else:
            begun.set()
        return stack

    results = execute({"global": (), "west": ("global",)}, work, slots=2, stop=Stop(), ahead=ahead)
    assert outcomes(results) == {"global": "done", "west": "done"}


def test_what_fails_after_it_was_far_enough_fails_alone() -> None:
    ahead, begun = Ahead(), threading.Event()

    def work(stack: str) -> str:
        if stack == "global":
            ahead.far_enough("global")
            ahead.far_enough("global")
            assert begun.wait(10), "nobody began meanwhile"
            raise TerraformError("no")
        begun.set()
        return stack

    results = execute({"global": (), "west": ("global",)}, work, slots=2, stop=Stop(), ahead=ahead)
    assert outcomes(results) == {"global": "failed", "west": "done"}


def test_what_was_not_begun_when_it_failed_is_skipped() -> None:
    ahead = Ahead()

    def work(stack: str) -> str:
        ahead.far_enough(stack)
        raise TerraformError("no")

    results = execute({"global": (), "west": ("global",)}, work, slots=1, stop=Stop(), ahead=ahead)
    assert outcomes(results) == {"global": "failed", "west": "skipped"}
