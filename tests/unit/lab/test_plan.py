"""What is done about hosts that are not as they should be."""

import pytest

from orchestrate.lab.plan import Known, Step, admitted, back_off_s, plan_hosts
from orchestrate.lab.spec import Wanted
from tests.lab.specs import a_spec

NOW = 100.0
HOST = "i-00000000000000001"


@pytest.mark.parametrize(
    ("wanted", "known", "step"),
    [
        ("running", None, "boot"),
        ("running", Known("stopped"), "boot"),
        ("running", Known("failed"), "boot"),
        ("running", Known("running"), None),
        ("running", Known("starting", busy=True), None),
        ("stopped", None, None),
        ("stopped", Known("running"), "power off"),
        ("stopped", Known("failed"), "power off"),
        ("stopped", Known("stopped"), None),
        ("terminated", None, None),
        ("terminated", Known("running"), "terminate"),
        ("terminated", Known("stopped"), "terminate"),
        ("terminated", Known("failed"), "terminate"),
        ("terminated", Known("running", busy=True), None),
    ],
)
def test_a_host_is_brought_to_what_is_wanted(
    wanted: Wanted, known: Known | None, step: Step | None
) -> None:
    steps = plan_hosts([a_spec(1, state=wanted)], {HOST: known} if known else {}, NOW)

    assert steps == ({HOST: step} if step else {})


def test_a_host_nobody_lists_any_more_is_terminated() -> None:
    assert plan_hosts([], {HOST: Known("running")}, NOW) == {HOST: "terminate"}


@pytest.mark.parametrize(
    ("wanted", "retry_at", "step"),
    [
        ("running", NOW + 1, None),
        ("running", NOW, "boot"),
        ("terminated", NOW + 1, "terminate"),
        ("stopped", NOW + 1, "power off"),
    ],
    ids=["not yet", "time is up", "gone after all", "stopped after all"],
)
def test_only_the_step_that_failed_waits(
    wanted: Wanted, retry_at: float, step: Step | None
) -> None:
    failed = Known("failed", failed="boot", retry_at=retry_at)

    steps = plan_hosts([a_spec(1, state=wanted)], {HOST: failed}, NOW)

    assert steps.get(HOST) == step


def test_each_host_has_a_step_of_its_own() -> None:
    specs = [a_spec(1), a_spec(2, state="stopped"), a_spec(3)]
    known = {spec.instance_id: Known("running") for spec in specs[1:]}

    assert plan_hosts(specs, known, NOW) == {HOST: "boot", "i-00000000000000002": "power off"}


def test_failures_in_a_row_are_retried_ever_later_up_to_a_minute() -> None:
    assert [back_off_s(failures) for failures in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_a_thousand_failures_still_wait_a_minute() -> None:
    assert back_off_s(5000) == 60


@pytest.mark.parametrize(
    ("states", "having", "limit", "listed"),
    [
        (["running"] * 3, [], 5, [1, 2, 3]),
        (["running"] * 3, [], 2, [1, 2]),
        (["running"] * 3, [3], 2, [1, 3]),
        (["terminated", "running", "running", "running"], [1, 2], 2, [1, 2, 3]),
        (["stopped", "running", "running"], [1], 2, [1, 2]),
        (["stopped", "running"], [], 0, [1]),
        (["running"] * 3, [1, 2, 3], 1, [1, 2, 3]),
    ],
)
def test_hosts_beyond_the_limit_are_not_asked_for_and_none_is_taken_away(
    states: list[Wanted], having: list[int], limit: int, listed: list[int]
) -> None:
    specs = [a_spec(number, state=state) for number, state in enumerate(states, 1)]

    found = admitted(specs, {a_spec(number).instance_id for number in having}, limit)

    assert [spec.instance_id for spec in found] == [a_spec(n).instance_id for n in listed]
