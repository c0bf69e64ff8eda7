"""Whose health check fails: data in, a verdict out."""

import pytest

from orchestrate.lab.gaps.scaling_processes import beyond, unhealthy


@pytest.mark.parametrize(
    ("state", "down", "suspended", "verdict"),
    [
        ("running", False, [], False),
        ("running", True, [], True),
        ("stopping", False, [], True),
        ("stopped", False, [], True),
        ("terminated", False, [], True),
        ("stopped", False, ["Launch", "ReplaceUnhealthy"], True),
        ("stopped", True, ["HealthCheck"], False),
    ],
)
def test_a_member_is_unhealthy_when_it_does_not_run(
    state: str, down: bool, suspended: list[str], verdict: bool
) -> None:
    assert unhealthy(state, down=down, suspended=suspended) is verdict


@pytest.mark.parametrize(
    ("wanted", "bound"),
    [(0, "below min value 1"), (1, ""), (4, ""), (5, "above max value 4")],
)
def test_a_capacity_within_the_groups_size_is_beyond_no_bound(wanted: int, bound: str) -> None:
    assert beyond(wanted, 1, 4) == bound
