"""Free address space as integers: first fit of aligned blocks, in logarithmic time. Pure.

A block is `(start, prefix)`: 2**(32 - prefix) addresses from `start`, which is a multiple of that
size (RFC 4632). Free space is kept as the largest aligned blocks it is made of, one heap for each
size, as in a buddy allocator: the lowest place where a block fits is then the lowest head of the
heaps of its size and above.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from ipaddress import IPv4Network
from typing import Generic, TypeVar

Span = tuple[int, int]  # first address, and the one after the last
BITS = 32
Owner = TypeVar("Owner")


def span(network: IPv4Network) -> Span:
    start = int(network.network_address)
    return start, start + (1 << (BITS - network.prefixlen))


def network(start: int, prefix: int) -> IPv4Network:
    return IPv4Network((start, prefix))


def gaps(whole: Span, taken: Iterable[Span]) -> Iterator[Span]:
    """What of `whole` none of `taken` covers. `taken` is sorted; its spans may overlap."""
    at, end = whole
    for start, stop in taken:
        if start >= end:
            break
        if start > at:
            yield at, start
        at = max(at, stop)
    if at < end:
        yield at, end


def blocks(gap: Span) -> Iterator[tuple[int, int]]:
    """The fewest aligned blocks that make up `gap`, lowest first."""
    at, end = gap
    while at < end:
        aligned = (at & -at).bit_length() - 1 if at else BITS
        bits = min(aligned, (end - at).bit_length() - 1)
        yield at, BITS - bits
        at += 1 << bits


class FreeSpace:
    """What is left of `whole`; shrinks as blocks are taken."""

    def __init__(self, whole: Span, taken: Iterable[Span]) -> None:
        self._heaps: dict[int, list[int]] = {}
        for gap in gaps(whole, taken):
            for start, prefix in blocks(gap):
                self._heaps.setdefault(prefix, []).append(start)
        for heap in self._heaps.values():
            heapify(heap)

    def take(self, prefix: int) -> int | None:
        """Take the lowest free block of this size; its first address, None where none is left."""
        fitting = [size for size, heap in self._heaps.items() if heap and size <= prefix]
        if not fitting:
            return None
        size = min(fitting, key=lambda size: self._heaps[size][0])
        start = heappop(self._heaps[size])
        for half in range(size + 1, prefix + 1):
            heappush(self._heaps.setdefault(half, []), start + (1 << (BITS - half)))
        return start

    def left(self) -> dict[int, int]:
        """How many free blocks of each prefix length, largest blocks first."""
        return {size: len(heap) for size, heap in sorted(self._heaps.items()) if heap}


class Occupied(Generic[Owner]):
    """Disjoint spans in order, each with its owner."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._owners: dict[Span, Owner] = {}

    def add(self, taken: Span, owner: Owner) -> None:
        insort(self.spans, taken)
        self._owners[taken] = owner

    def remove(self, taken: Span) -> None:
        del self._owners[taken]
        self.spans.remove(taken)

    def touching(self, wanted: Span) -> list[Owner]:
        """Who has an address of `wanted`, lowest first."""
        start, end = wanted
        at = bisect_left(self.spans, (start, 0))
        if at and self.spans[at - 1][1] > start:
            at -= 1
        found = []
        while at < len(self.spans) and self.spans[at][0] < end:
            found.append(self._owners[self.spans[at]])
            at += 1
        return found
