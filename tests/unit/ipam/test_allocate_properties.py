"""What holds for every history of a fleet: no overlap, nobody moves, ranges rest."""

from datetime import date, timedelta
from ipaddress import IPv4Network
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from orchestrate.errors import InvalidInput
from orchestrate.fleet.models import Addresses
from orchestrate.fleet.ranges import RangeRequest
from orchestrate.ipam import grammar
from orchestrate.ipam.allocate import allocate
from orchestrate.ipam.records import Ledger

QUARANTINE = 10
RESERVED = IPv4Network("10.0.0.0/26")
EXTERNAL = IPv4Network("10.0.3.64/27")
ADDRESSES = Addresses.model_validate(
    {
        "pools": {
            "cloud": {"range": "10.0.0.0/21", "reserved": [str(RESERVED)]},
            "vpn": {"range": "10.1.0.0/22"},
        },
        "external": [{"range": str(EXTERNAL), "why": "theirs"}],
        "quarantine_days": QUARANTINE,
    }
)
START = date(2026, 1, 1)
Networks = list[tuple[int, str, int, int]]
History = list[tuple[int, Networks]]

networks = st.tuples(
    st.integers(0, 7), st.sampled_from(["cloud", "vpn"]), st.integers(24, 28), st.integers(0, 3)
)
fleets = st.lists(networks, max_size=6, unique_by=lambda network: network[0])
# A history: on each day the fleet that is wanted, some days after the last.
histories = st.lists(st.tuples(st.integers(0, 7), fleets), min_size=1, max_size=8)

# A busy machine is no failure.


def requests_of(fleet: Networks) -> list[RangeRequest]:
    """Each network by its pool, size and number of subnets; the key carries what may not change."""
    requests = []
    for number, pool, prefix, subnets in fleet:
        home = f"n{number}-{prefix}/{pool}"
        requests.append(RangeRequest(home, prefix, pool=pool))
        requests += [RangeRequest(f"{home}/{n}", prefix + 2, inside=home) for n in range(subnets)]
    return requests


def live_through(history: History) -> list[Ledger]:
    """The ledger after each day; days on which the pool was full leave it as it was."""
    today, ledger, ledgers = START, Ledger(), []
    for days, fleet in history:
        today += timedelta(days=days)
        try:
            ledger = allocate(ADDRESSES, ledger, requests_of(fleet), today)
        except InvalidInput as refused:
            assert all("has no room for" in finding.what for finding in refused.findings)
        ledgers.append(ledger)
    return ledgers


def outermost(ledger: Ledger) -> list[IPv4Network]:
    given = [one.range for one in ledger.given.values() if not one.inside]
    return sorted([*given, *(rest.range for rest in ledger.resting if not rest.inside)])


@given(histories)
def test_no_two_ranges_ever_overlap(history: History) -> None:
    for ledger in live_through(history):
        ranges = outermost(ledger)
        assert not any(one.overlaps(next_) for one, next_ in pairwise(ranges))
        assert not any(one.overlaps(barred) for one in ranges for barred in (RESERVED, EXTERNAL))
        # Subnets too: the reader refuses what overlaps or lies outside its home.
        assert grammar.parse(grammar.write(ledger), "x") == ledger


@given(histories)
def test_nobody_moves_whoever_comes_or_goes(history: History) -> None:
    for before, after in pairwise(live_through(history)):
        for key in before.given.keys() & after.given.keys():
            assert after.given[key] == before.given[key]


@given(histories)
def test_a_released_range_goes_to_nobody_else_while_it_rests(
    history: History,
) -> None:
    ledgers, today = live_through(history), START + timedelta(days=history[0][0])
    for (before, after), (days, _) in zip(pairwise(ledgers), history[1:], strict=True):
        today += timedelta(days=days)
        for rest in before.resting:
            if today < rest.released + timedelta(days=QUARANTINE):
                others = [one for one in after.given.values() if one.key != rest.was.key]
                siblings = [one for one in others if one.inside == rest.inside]
                assert not any(one.range.overlaps(rest.range) for one in siblings)


@given(histories)
def test_the_same_history_gives_the_same_bytes(
    history: History,
) -> None:
    first, second = live_through(history)[-1], live_through(history)[-1]
    assert grammar.write(first) == grammar.write(second)


@given(fleets, st.integers(0, QUARANTINE - 1))
def test_who_comes_back_in_time_finds_everything_as_it_was(fleet: Networks, away: int) -> None:
    requests = requests_of(fleet)
    try:
        before = allocate(ADDRESSES, Ledger(), requests, START)
    except InvalidInput:
        assume(False)
    gone = allocate(ADDRESSES, before, [], START)
    assert not gone.given
    back = allocate(ADDRESSES, gone, requests, START + timedelta(days=away))
    assert back == before


@given(fleets)
def test_each_range_is_the_lowest_that_was_free(fleet: Networks) -> None:
    """Against the plainest allocator: try every place from the bottom up."""
    requests = [request for request in requests_of(fleet) if request.pool]
    taken, expected = [RESERVED, EXTERNAL], {}
    for request in requests:
        places = ADDRESSES.pools[request.pool].range.subnets(new_prefix=request.prefix)  # type: ignore[index]
        place = next((p for p in places if not any(p.overlaps(other) for other in taken)), None)
        assume(place is not None)
        assert place
        taken.append(place)
        expected[request.key] = place
    assert allocate(ADDRESSES, Ledger(), requests, START).allocations == expected
