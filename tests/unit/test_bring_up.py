"""Which hosts an apply leaves as they are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from orchestrate.bring_up import not_agreed
from orchestrate.brought_up import Wanted
from orchestrate.hosts.converge import Task
from orchestrate.hosts.inventory import Host

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
