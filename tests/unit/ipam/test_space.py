"""Free space: gaps, aligned blocks, and the lowest place where a block fits."""

from ipaddress import IPv4Network, collapse_addresses, summarize_address_range

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrate.ipam.space import FreeSpace, Occupied, blocks, gaps, network, span

addresses = st.integers(0, 2**32 - 1)


def test_a_span_reaches_past_the_last_address() -> None:
    assert span(IPv4Network("0.0.1.0/24")) == (256, 512)
    assert span(IPv4Network("0.0.0.0/0")) == (0, 2**32)


@pytest.mark.parametrize(
    ("taken", "free"),
    [
        ([], [(10, 20)]),
        ([(10, 20)], []),
        ([(0, 100)], []),
        ([(0, 12), (18, 30)], [(12, 18)]),
        ([(12, 14), (14, 16)], [(10, 12), (16, 20)]),
        ([(11, 19), (12, 14)], [(10, 11), (19, 20)]),
        ([(0, 5), (20, 30)], [(10, 20)]),
    ],
)
def test_gaps_are_what_nothing_covers(
    taken: list[tuple[int, int]], free: list[tuple[int, int]]
) -> None:
    assert list(gaps((10, 20), taken)) == free


@given(addresses, addresses)
def test_blocks_are_those_of_the_standard_library(one: int, other: int) -> None:
    first, last = sorted((one, other))
    expected = summarize_address_range(network(first, 32)[0], network(last, 32)[0])
    assert [network(*block) for block in blocks((first, last + 1))] == list(expected)


def test_the_lowest_fitting_place_is_taken_first() -> None:
    free = FreeSpace(span(IPv4Network("10.0.0.0/16")), [span(IPv4Network("10.0.0.0/18"))])
    taken = [free.take(prefix) for prefix in (17, 20, 19, 20, 24)]
    places = ["10.0.128.0", "10.0.64.0", "10.0.96.0", "10.0.80.0", None]
    assert [start and str(network(start, 32)[0]) for start in taken] == places


def test_what_does_not_fit_takes_nothing() -> None:
    free = FreeSpace(span(IPv4Network("10.0.0.0/16")), [span(IPv4Network("10.0.4.0/24"))])
    before = free.left()
    assert free.take(16) is None
    assert free.left() == before == {17: 1, 18: 1, 19: 1, 20: 1, 21: 1, 22: 1, 23: 1, 24: 1}


@given(st.lists(st.integers(20, 28), max_size=30))
def test_taken_and_left_make_up_the_whole(prefixes: list[int]) -> None:
    whole = IPv4Network("10.0.0.0/20")
    free = FreeSpace(span(whole), [])
    starts = [(free.take(prefix), prefix) for prefix in prefixes]
    taken = [network(start, prefix) for start, prefix in starts if start is not None]
    left = sum(count << (32 - prefix) for prefix, count in free.left().items())
    assert sum(one.num_addresses for one in taken) + left == whole.num_addresses
    assert sum(one.num_addresses for one in collapse_addresses(taken)) == sum(
        one.num_addresses for one in taken
    )


def test_occupied_names_whoever_is_touched() -> None:
    occupied: Occupied[str] = Occupied()
    for start, stop in ((10, 20), (40, 50), (20, 30)):
        occupied.add((start, stop), f"{start}")
    assert occupied.touching((0, 10)) == []
    assert occupied.touching((19, 21)) == ["10", "20"]
    assert occupied.touching((0, 100)) == ["10", "20", "40"]
    assert occupied.touching((12, 13)) == ["10"]
    occupied.remove((10, 20))
    assert occupied.touching((0, 30)) == ["20"]
