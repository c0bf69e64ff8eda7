"""Whether a fault strikes a request. Pure: no clock, no chance that is not counted."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from orchestrate.lab.call import Call
from orchestrate.lab.faults.models import Fault, Launch

AnyFault = TypeVar("AnyFault", bound=Fault)


@dataclass(frozen=True)
class Tally:
    """How many requests a fault was about while in force, and how many of them it struck."""

    seen: int = 0
    struck: int = 0


def decide(
    faults: Iterable[AnyFault], request: Call | Launch, now: float, tallies: Mapping[str, Tally]
) -> AnyFault | None:
    """The first fault that strikes this request; `now` in seconds since the epoch."""
    for fault in about(faults, request, now, tallies):
        if chosen(fault, tallies.get(fault.name, Tally()).seen):
            return fault
    return None


def about(
    faults: Iterable[AnyFault], request: Call | Launch, now: float, tallies: Mapping[str, Tally]
) -> list[AnyFault]:
    """The faults in force that concern this request, struck or spared."""
    return [
        fault
        for fault in faults
        if fault.concerns(request) and in_force(fault, now, tallies.get(fault.name, Tally()))
    ]


def in_force(fault: Fault, now: float, tally: Tally) -> bool:
    """Whether it has neither run out of time nor of strikes."""
    in_time = fault.until is None or now < fault.until
    return in_time and (fault.count is None or tally.struck < fault.count)


def chosen(fault: Fault, number: int) -> bool:
    """Whether the request of this number (from 0) is among the fault's share: always the same."""
    draw = hashlib.sha256(f"{fault.seed}:{number}".encode()).digest()
    return int.from_bytes(draw[:8], "big") < fault.rate * 2**64
