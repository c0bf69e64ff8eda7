"""Who gets which range: first fit, aligned, the same answer every time. Pure.

What stands in the ledger stands: no request, whether added or dropped, moves another's range.
`space` finds the room, `explain` words what is wrong.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from ipaddress import IPv4Network
from itertools import chain

from orchestrate.errors import InvalidInput
from orchestrate.findings import Finding
from orchestrate.fleet.models import Addresses
from orchestrate.fleet.ranges import RangeRequest
from orchestrate.ipam import explain
from orchestrate.ipam.records import Allocation, Home, Ledger, Resting, ledger_of
from orchestrate.ipam.space import FreeSpace, Occupied, network, span


def allocate(
    addresses: Addresses, ledger: Ledger, requests: Sequence[RangeRequest], today: date
) -> Ledger:
    """The ledger in which every request has its range.

    Ranges already given stay. Fixed ranges are recorded as they are; a key that comes back while
    its range rests gets it back; the others get the lowest range of their home that touches
    nothing given, resting, reserved or external. What nobody wants any more rests
    `addresses.quarantine_days` from `today`.

    Raises InvalidInput with everything that stands in the way: full homes with the sizes left,
    sizes or fixed ranges that differ from what was given, fixed ranges that overlap, unknown homes.
    """
    wanted = {request.key: request for request in requests}
    kept = {key: given for key, given in ledger.given.items() if key in wanted}
    released = [Resting(given, today) for key, given in ledger.given.items() if key not in wanted]
    resting = [
        rest
        for rest in (*ledger.resting, *released)
        if today < rest.until(addresses.quarantine_days)
    ]
    turn = _Turn(addresses, kept, resting)
    for generation in _homes_first(requests):
        turn.place([request for request in generation if request.key not in kept])
    problems = [
        *explain.unusable(addresses, requests),
        *explain.changed(kept, wanted),
        *turn.problems(),
    ]
    if problems:
        raise InvalidInput(problems)
    return ledger_of(turn.given, turn.resting.values())


def _homes_first(requests: Sequence[RangeRequest]) -> Iterator[list[RangeRequest]]:
    """Requests with one home together, and every home before what is inside it.

    What is inside something that nobody requests is left out.
    """
    inside: defaultdict[str, list[RangeRequest]] = defaultdict(list)
    for request in requests:
        inside[request.inside].append(request)
    homes = [""]
    for home in homes:
        generation = inside.pop(home, [])
        yield generation
        homes += [request.key for request in generation if request.key in inside]


class _Turn:
    """One run of the allocator: what is given and what rests, as it changes with each request."""

    def __init__(
        self, addresses: Addresses, kept: dict[str, Allocation], resting: Sequence[Resting]
    ) -> None:
        self.given = dict(kept)
        self.resting = {(rest.inside, span(rest.was.range)): rest for rest in resting}
        self._addresses = addresses
        self._barred = [span(external.range) for external in addresses.external]
        for pool in addresses.pools.values():
            self._barred += map(span, pool.reserved)
        self._rests_of: defaultdict[str, list[Resting]] = defaultdict(list)
        for rest in sorted(resting, key=lambda rest: rest.released):
            self._rests_of[rest.was.key].append(rest)
        self._occupied: defaultdict[str, Occupied[Allocation | Resting]] = defaultdict(Occupied)
        owners: Iterable[Allocation | Resting] = chain(kept.values(), resting)
        for owner in owners:
            self._occupied[owner.inside].add(span(owner.range), owner)
        self._free: dict[str, FreeSpace] = {}
        self._short: defaultdict[Home, list[RangeRequest]] = defaultdict(list)
        self._clashes: list[Finding] = []

    def place(self, requests: Sequence[RangeRequest]) -> None:
        """Give each request its range; fixed ones first, so that the others avoid them."""
        for request in requests:
            if request.fixed:
                self._record(request, request.fixed)
        for request in requests:
            home = self._home(request)
            if not request.fixed and home and not self._give_back(request, home):
                self._fit(request, home)

    def problems(self) -> list[Finding]:
        """Fixed ranges in each other's way, then full homes."""
        days = self._addresses.quarantine_days
        full = [
            explain.full(home, short, self._free[home.name].left(), self.resting.values(), days)
            for home, short in self._short.items()
        ]
        return [*self._clashes, *full]

    def _home(self, request: RangeRequest) -> Home | None:
        """Where the request is to be placed; None if that is unknown or got no range itself."""
        if request.inside:
            parent = self.given.get(request.inside)
            return Home(request.inside, parent.range) if parent else None
        pool = self._addresses.pools.get(request.pool)  # type: ignore[call-overload]
        return Home(f"pool '{request.pool}'", pool.range) if pool else None

    def _record(self, request: RangeRequest, fixed: IPv4Network) -> None:
        """Record where the world put it. It ends the rest of what it covers; all else clashes."""
        touched = self._occupied[request.inside].touching(span(fixed))
        in_the_way = [
            owner
            for owner in touched
            if isinstance(owner, Allocation) or not owner.range.subnet_of(fixed)
        ]
        if clashes := explain.clashes(self._addresses, request, fixed, in_the_way):
            self._clashes += clashes
            return
        for rest in [rest for rest in self.resting.values() if rest.range.subnet_of(fixed)]:
            self._end(rest)
        self._give(request, fixed)

    def _give_back(self, request: RangeRequest, home: Home) -> bool:
        """Give the key the range it had before, if that rests and still fits."""
        for rest in reversed(self._rests_of[request.key]):
            if self._still_fits(rest, request, home):
                self._end(rest)
                self._give(request, rest.range)
                return True
        return False

    def _still_fits(self, rest: Resting, request: RangeRequest, home: Home) -> bool:
        start, end = span(rest.range)
        return (
            (rest.inside, (start, end)) in self.resting
            and rest.inside == request.inside
            and rest.range.prefixlen == request.prefix
            and rest.range.subnet_of(home.range)
            and not any(start < stop and begin < end for begin, stop in self._barred)
        )

    def _fit(self, request: RangeRequest, home: Home) -> None:
        """Give the lowest free range of the home; remember the request where there is none."""
        if home.name not in self._free:
            taken = sorted([*self._occupied[request.inside].spans, *self._barred])
            self._free[home.name] = FreeSpace(span(home.range), taken)
        start = self._free[home.name].take(request.prefix)
        if start is None:
            self._short[home].append(request)
        else:
            self._give(request, network(start, request.prefix))

    def _give(self, request: RangeRequest, granted: IPv4Network) -> None:
        given = Allocation(request.key, granted, request.pool, request.inside)
        self.given[request.key] = given
        self._occupied[request.inside].add(span(granted), given)

    def _end(self, rest: Resting) -> None:
        place = span(rest.range)
        del self.resting[rest.inside, place]
        self._occupied[rest.inside].remove(place)
