"""Waiting: in a time of its own, so that no test waits."""

from collections.abc import Callable, Iterator

import pytest

from orchestrate.hosts.inventory import Host
from orchestrate.hosts.wait import Seen, Waiting, until_all_answer


def host(name: str, state: str = "running") -> Host:
    return Host(name, "c", "cpu-worker", "cpu", "z", f"i-{name}", state, "10.0.0.1", "", "u")


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def wait(
    look: Callable[[], Seen],
    probe: Callable[[Host], bool],
    seconds: float = 60,
    tell: Callable[[Waiting], None] = lambda _: None,
) -> Waiting:
    time = Time()
    return until_all_answer(
        look, probe, seconds=seconds, tell=tell, clock=time.clock, sleep=time.sleep
    )


def after(tries: int) -> Callable[[Host], bool]:
    """A probe that a host answers at the given try."""
    asked: dict[str, int] = {}

    def probe(host: Host) -> bool:
        asked[host.name] = asked.get(host.name, 0) + 1
        return asked[host.name] >= tries

    return probe


def test_a_host_is_asked_until_it_answers() -> None:
    ended = wait(lambda: Seen([host("a"), host("b")]), after(4))
    assert ended.done
    assert [one.name for one in ended.answering] == ["a", "b"]


def test_a_host_that_has_answered_is_not_asked_again() -> None:
    asked: list[str] = []

    def probe(host: Host) -> bool:
        asked.append(host.name)
        return host.name == "a" or asked.count("b") == 3

    wait(lambda: Seen([host("a"), host("b")]), probe)
    assert asked.count("a") == 1


def test_the_silent_are_named_when_the_time_is_up() -> None:
    ended = wait(lambda: Seen([host("a"), host("b")]), lambda host: host.name == "a", seconds=9)
    assert not ended.done
    assert [one.name for one in ended.silent] == ["b"]


def test_no_time_at_all_is_one_look() -> None:
    looks: list[int] = []

    def look() -> Seen:
        looks.append(1)
        return Seen([host("a")])

    assert not wait(look, lambda _: False, seconds=0).done
    assert len(looks) == 1


def test_hosts_that_come_while_waiting_are_waited_for() -> None:
    def seen() -> Iterator[Seen]:
        yield Seen([], missing=2)
        yield Seen([host("a"), host("b", "pending")])
        while True:
            yield Seen([host("a"), host("b")])

    views = seen()
    ended = wait(lambda: next(views), lambda _: True)
    assert ended.done
    assert [one.name for one in ended.answering] == ["a", "b"]


def test_a_host_that_is_still_pending_is_not_asked() -> None:
    def probe(host: Host) -> bool:
        raise AssertionError(host.name)

    assert not wait(lambda: Seen([host("a", "pending")]), probe, seconds=3).done


def test_every_answer_is_told() -> None:
    told: list[int] = []
    wait(
        lambda: Seen([host(str(number)) for number in range(40)]),
        lambda _: True,
        tell=lambda now: told.append(len(now.answering)),
    )
    assert told == [*range(1, 41), 40]


def test_an_error_of_a_probe_ends_the_wait() -> None:
    def probe(host: Host) -> bool:
        raise ValueError(host.name)

    with pytest.raises(ValueError, match="a"):
        wait(lambda: Seen([host("a")]), probe)
