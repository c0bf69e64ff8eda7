"""Where a group launches, what it buys and who goes first: data in, data out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrate.lab.gaps.autoscaling import first_to_go, on_demand_share, spread


@pytest.mark.parametrize(
    ("count", "present", "chosen"),
    [
        (0, [], []),
        (1, [], ["a"]),
        (4, [], ["a", "b", "c", "a"]),
        (2, ["a", "a", "b"], ["c", "b"]),
        (2, ["elsewhere", "elsewhere"], ["a", "b"]),
    ],
)
def test_each_instance_goes_where_there_are_fewest(
    count: int, present: list[str], chosen: list[str]
) -> None:
    assert spread(count, ["a", "b", "c"], present) == chosen


@given(st.integers(0, 60), st.integers(1, 6))
def test_an_empty_group_never_spreads_more_than_one_apart(count: int, places: int) -> None:
    names = [f"subnet-{number}" for number in range(places)]
    chosen = spread(count, names, [])
    sizes = [chosen.count(name) for name in names]
    assert len(chosen) == count
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("total", "base", "percent", "on_demand"),
    [
        (5, 0, 100, 5),
        (5, 0, 0, 0),
        (5, 2, 0, 2),
        (1, 2, 0, 1),
        (10, 2, 25, 4),
        (4, 1, 50, 3),  # 1.5 above the base: the fraction is an on-demand instance
        (1, 0, 50, 1),
    ],
)
def test_the_base_is_on_demand_and_then_the_percentage(
    total: int, base: int, percent: int, on_demand: int
) -> None:
    assert on_demand_share(total, base, percent) == on_demand


@given(st.integers(0, 500), st.integers(0, 50), st.integers(0, 100))
def test_no_instance_is_lost_between_the_kinds(total: int, base: int, percent: int) -> None:
    assert min(total, base) <= on_demand_share(total, base, percent) <= total


@pytest.mark.parametrize(
    ("count", "zones", "gone"),
    [
        (1, ["a", "b", "c"], [0]),
        (1, ["a", "b", "b"], [1]),
        (2, ["a", "b", "b", "b"], [1, 2]),
        (3, ["a", "b", "b"], [1, 0, 2]),
        (9, ["a"], [0]),
    ],
)
def test_the_oldest_of_the_fullest_zone_goes_first(
    count: int, zones: list[str], gone: list[int]
) -> None:
    assert first_to_go(count, zones) == gone
