"""The address ledger with 10,000 ranges: allocate from nothing, write, read, and look again.

Networks of four sizes with seven subnets each. Together it is to take less than a second, so that
an apply of a large fleet doesn't wait for its addresses.
"""

from collections.abc import Iterator
from datetime import date
from time import perf_counter

from benchmarks.measure import Measurement
from orchestrate.fleet.models import Addresses
from orchestrate.fleet.ranges import RangeRequest
from orchestrate.ipam import grammar
from orchestrate.ipam.allocate import allocate
from orchestrate.ipam.records import Ledger

NETWORKS, SUBNETS = 1250, 7
TARGET_S = 1.0
TODAY = date(2026, 11, 29)
ADDRESSES = Addresses.model_validate({"pools": {"cloud": {"range": "10.0.0.0/8"}}})
STEPS = ("allocate from nothing", "write the text", "read the text", "find that nothing is missing")


def measure(rounds: int = 5) -> Iterator[Measurement]:
    """Seconds of each step and of all together, in the round that took least."""
    wanted = list(requests())
    least = min((_round(wanted) for _ in range(rounds)), key=sum)
    for step, taken in zip(STEPS, least, strict=True):
        yield Measurement(step, taken, "s")
    yield Measurement(f"{len(wanted):,} ranges, all together", sum(least), "s", TARGET_S)


def requests() -> Iterator[RangeRequest]:
    """10,000 of them, every network before its subnets."""
    for number in range(NETWORKS):
        home, prefix = f"cluster-{number}/vpc", 20 + number % 4
        yield RangeRequest(home, prefix, pool="cloud")
        for zone in range(SUBNETS):
            yield RangeRequest(f"cluster-{number}/private/{zone}", prefix + 3, inside=home)


def _round(wanted: list[RangeRequest]) -> list[float]:
    """Seconds of each step. Raises if the ledger is not the same after its way through the text."""
    begun = perf_counter()
    ledger = allocate(ADDRESSES, Ledger(), wanted, TODAY)
    allocated = perf_counter()
    text = grammar.write(ledger)
    written = perf_counter()
    read = grammar.parse(text, "ledger")
    parsed = perf_counter()
    again = allocate(ADDRESSES, read, wanted, TODAY)
    ended = perf_counter()
    if again != ledger:
        raise RuntimeError("the ledger changed on its way through the text")
    return [allocated - begun, written - allocated, parsed - written, ended - parsed]


def main() -> None:
    """Print all of it in one line."""
    *steps, total = measure()
    parts = ", ".join(f"{step.what} {step.value:.3f}" for step in steps)
    print(f"{total.what}: {total.value:.3f} s ({parts})")


if __name__ == "__main__":
    main()
