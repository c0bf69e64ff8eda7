"""Which hosts an apply leaves as they are."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrate import bring_up, converge
from orchestrate.bring_up import not_agreed
from orchestrate.brought_up import Wanted
from orchestrate.converge import Prepared, Standing
from orchestrate.hosts.converge import Task
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed
from orchestrate.hosts.ssh import Connections
from orchestrate.hosts.wait import Waiting
from orchestrate.shell import Stop
from tests.unit.stories import Person, Story

BEGAN = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def task(name: str, launched: datetime | None) -> Task:
    host = Host(name, "c", "cpu-worker", "cpu", "z", name, "running", "10.1.0.1", "", "u")
    return Task(replace(host, launched=launched), "digest", "{}", b"")


OUTDATED = [
    task("old", BEGAN - timedelta(days=1)),
    task("asked", BEGAN - timedelta(days=1)),
    task("rack", None),
    task("new", BEGAN + timedelta(seconds=30)),
]


@pytest.mark.parametrize(
    ("agreed", "left"),
    [
        (None, []),
        (frozenset(), ["old", "asked", "rack"]),
        (frozenset({"asked", "rack"}), ["old"]),
    ],
    ids=["all", "nobody was asked", "some"],
)
def test_a_host_in_use_is_converged_only_where_the_question_was_about_it(
    agreed: frozenset[str] | None, left: list[str]
) -> None:
    assert not_agreed(OUTDATED, Wanted(BEGAN, agreed=agreed)) == left


def test_a_second_ctrl_c_leaves_the_hosts_of_an_apply_as_those_of_a_converge(
    story: Story, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    host = OUTDATED[0].host
    stop, left = Stop(), threading.Event()

    def compare(ways: Connections, tasks: object, parallel: int) -> Standing:
        assert not left.is_set()
        stop.request()
        stop.request()
        assert left.wait(60)
        return Standing((), (), ())

    monkeypatch.setattr(Connections, "close", lambda _: left.set())
    monkeypatch.setattr(converge, "compare", compare)
    monkeypatch.setattr(converge, "prepare", lambda *_, **__: Prepared((), {}))
    monkeypatch.setattr(bring_up, "observe", lambda *_: Observed([replace(host, place="c")], {}))
    monkeypatch.setattr(bring_up, "learn_keys", lambda *_: None)
    monkeypatch.setattr(bring_up, "answers", lambda *_: True)
    watcher = Waits()
    came_to = bring_up.bring_up(
        story.work, frozenset({"c"}), Wanted(BEGAN), watcher, logs=tmp_path, stop=stop
    )
    assert came_to.interrupted


class Waits(Person):
    """Waits for hosts, and hears of none."""

    def waiting(self) -> AbstractContextManager[Callable[[Waiting], None]]:
        return nullcontext(lambda _: None)
