"""Batches, how many may fail, and what becomes of those whose turn never comes."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.results import Outcome, Result, Results
from orchestrate.hosts.rollout import Policy, Share, Work, batches, refusal, roll_out, share
from orchestrate.shell import Stop

HOSTS = [f"h{n}" for n in range(10)]
ONE_BY_ONE = Policy(parallel=1, serial=Share(1))


def rolled(
    hosts: Sequence[str],
    policy: Policy,
    outcomes: Mapping[str, Outcome] = {},
    sick: Sequence[str] = (),
    stop: Stop | None = None,
) -> tuple[Results, list[str]]:
    """Work of which is said how it ends, CHANGED otherwise; and everything that was done."""
    done: list[str] = []

    def do(host: str) -> Result:
        done.append(f"do {host}")
        return Result(host, outcomes.get(host, Outcome.CHANGED))

    def check(host: str, result: Result) -> Result:
        done.append(f"check {host}")
        return Result(host, Outcome.FAILED, "unhealthy") if host in sick else result

    work = Work(
        name=str, do=do, check=check, ended=lambda one: done.append(f"{one.outcome} {one.host}")
    )
    return roll_out(hosts, policy, work, stop or Stop()), done


@pytest.mark.parametrize(
    ("total", "serial", "sizes"),
    [
        (10, None, [10]),
        (10, Share(3), [3, 3, 3, 1]),
        (10, Share(20, percent=True), [2] * 5),
        (3, Share(20, percent=True), [1, 1, 1]),
        (3, Share(0), [1, 1, 1]),
        (3, Share(100), [3]),
        (0, Share(2), []),
        (0, None, []),
    ],
)
def test_batches_keep_the_order_and_are_never_empty(
    total: int, serial: Share | None, sizes: list[int]
) -> None:
    found = list(batches(list(range(total)), serial))
    assert [len(batch) for batch in found] == sizes
    assert [item for batch in found for item in batch] == list(range(total))


@pytest.mark.parametrize(
    ("failed", "unreachable", "policy", "refused"),
    [
        (5, 0, Policy(), ""),
        (1, 0, Policy(serial=Share(2)), "1 of 10 hosts has failed, none may"),
        (0, 5, Policy(serial=Share(2)), ""),
        (2, 0, Policy(serial=Share(2), max_fail=Share(2)), ""),
        (3, 0, Policy(max_fail=Share(2)), "3 of 10 hosts have failed, 2 may"),
        (1, 0, Policy(max_fail=Share(10, percent=True)), ""),
        (2, 0, Policy(max_fail=Share(10, percent=True)), "2 of 10 hosts have failed, 1 may"),
        (1, 0, Policy(max_fail=Share(0)), "1 of 10 hosts has failed, none may"),
    ],
)
def test_a_rollout_goes_on_until_too_many_have_failed(
    failed: int, unreachable: int, policy: Policy, refused: str
) -> None:
    outcomes = [Outcome.FAILED] * failed + [Outcome.UNREACHABLE] * unreachable
    assert refusal([Result("h", each) for each in outcomes], 10, policy) == refused


def test_a_batch_is_checked_when_it_is_through_and_before_the_next_begins() -> None:
    results, done = rolled(HOSTS[:4], Policy(parallel=1, serial=Share(2)))
    assert done[:6] == ["do h0", "do h1", "check h0", "changed h0", "check h1", "changed h1"]
    assert done[6] == "do h2"
    assert results.well


def test_only_changed_hosts_are_checked() -> None:
    outcomes = {
        "h0": Outcome.UNCHANGED,
        "h1": Outcome.FAILED,
        "h2": Outcome.UNREACHABLE,
    }
    _, done = rolled(HOSTS[:4], Policy(), outcomes)
    assert [each for each in done if each.startswith("check")] == ["check h3"]


def test_s17_a_dead_host_holds_up_nobody_not_even_in_batches() -> None:
    results, _ = rolled(HOSTS, ONE_BY_ONE, {"h0": Outcome.UNREACHABLE})
    assert [one.outcome for one in results.hosts] == [Outcome.UNREACHABLE] + [Outcome.CHANGED] * 9
    assert (results.stopped, results.well) == ("", False)


def test_s18_a_batch_that_is_not_healthy_is_the_last_and_who_is_left_is_told() -> None:
    results, done = rolled(HOSTS, Policy(parallel=4, serial=Share(2)), sick=["h3"])
    assert [one.host for one in results.among(Outcome.NOT_STARTED)] == HOSTS[4:]
    assert results.stopped == "1 of 10 hosts has failed, none may"
    assert not any(each == f"do {host}" for each in done for host in HOSTS[4:])
    assert [each for each in done if each.startswith("not started")] == [
        f"not started {host}" for host in HOSTS[4:]
    ]


def test_within_a_batch_nobody_is_started_either_once_too_many_have_failed() -> None:
    policy = Policy(parallel=1, max_fail=Share(0))
    results, _ = rolled(HOSTS, policy, {"h2": Outcome.FAILED})
    assert [one.host for one in results.among(Outcome.NOT_STARTED)] == HOSTS[3:]


def test_a_limit_that_is_reached_by_the_last_host_stopped_nothing() -> None:
    results, _ = rolled(HOSTS[:2], ONE_BY_ONE, {"h1": Outcome.FAILED})
    assert results.stopped == ""


def test_after_a_request_to_stop_those_at_work_are_waited_for_and_no_other_is_started() -> None:
    stop, entered, released = Stop(), threading.Barrier(3), threading.Event()
    started: list[str] = []

    def do(host: str) -> Result:
        started.append(host)
        entered.wait()
        released.wait()
        return Result(host, Outcome.CHANGED)

    def interrupt() -> None:
        entered.wait()
        stop.request()
        released.set()

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    work = Work(name=str, do=do, check=lambda _, result: result)
    results = roll_out(HOSTS, Policy(parallel=2), work, stop)
    interrupter.join()
    assert sorted(started) == ["h0", "h1"]
    assert [one.outcome for one in results.hosts[:2]] == [Outcome.CHANGED] * 2
    assert len(results.among(Outcome.NOT_STARTED)) == 8
    assert results.interrupted


def test_a_bug_in_the_work_is_raised_and_nothing_else_is_started() -> None:
    done: list[str] = []

    def do(host: str) -> Result:
        done.append(host)
        raise ZeroDivisionError

    work = Work(name=str, do=do, check=lambda _, result: result)
    with pytest.raises(ZeroDivisionError):
        roll_out(HOSTS, Policy(parallel=1), work, Stop())
    assert done == ["h0"]


def test_a_bug_in_a_check_starts_no_further_batch() -> None:
    done: list[str] = []

    def do(host: str) -> Result:
        done.append(host)
        return Result(host, Outcome.CHANGED)

    def check(_host: str, _result: Result) -> Result:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        roll_out(HOSTS, ONE_BY_ONE, Work(name=str, do=do, check=check), Stop())
    assert done == ["h0"]


def test_those_never_started_are_told_of_in_their_order_by_the_thread_that_waits() -> None:
    told: list[tuple[str, bool]] = []
    stop = Stop()
    stop.request()

    def ended(result: Result) -> None:
        told.append((result.host, threading.current_thread() is threading.main_thread()))

    def do(host: str) -> Result:
        return Result(host, Outcome.CHANGED)

    work = Work(name=str, do=do, check=lambda _, result: result)
    roll_out(HOSTS, Policy(parallel=4), replace(work, ended=ended), stop)
    assert told == [(host, True) for host in HOSTS]


@pytest.mark.parametrize(
    ("text", "of_twenty"), [("5", 5), ("25%", 5), ("0", 0), ("4%", 0), ("100 %", 20)]
)
def test_a_share_is_a_number_or_a_percentage(text: str, of_twenty: int) -> None:
    assert share(text).of(20) == of_twenty


@pytest.mark.parametrize("text", ["", "%", "-1", "half", "1.5", "²"])
def test_any_other_word_is_refused(text: str) -> None:
    with pytest.raises(OrchestrateError, match="write 5, or 20%"):
        share(text)
