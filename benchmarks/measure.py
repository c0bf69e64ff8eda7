"""What a benchmark returns, and how programs are timed: in turns, by the median."""

import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Work = Callable[[], object]


@dataclass(frozen=True)
class Measurement:
    """One measured number. `target` is the most it should be; None where it is only to compare."""

    what: str
    value: float
    unit: Literal["ms", "s", "x"]
    target: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.value <= self.target else "missed"


def in_turns(rounds: int, sides: Mapping[str, Work]) -> dict[str, float]:
    """The median seconds of each side, run A B A B so that a busy machine slows all alike.

    Each side runs once beforehand, uncounted: files are read and compiled then.
    """
    for work in sides.values():
        work()
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, work in sides.items():
            taken[name].append(seconds(work))
    return {name: statistics.median(all_taken) for name, all_taken in taken.items()}


def seconds(work: Work) -> float:
    """Wall-clock seconds of one call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def program(
    *command: object, env: Mapping[str, str] | None = None, ok: Sequence[int] = (0,)
) -> Work:
    """A call that runs a program to its end, output thrown away; raises when it fails."""

    def run() -> None:
        done = subprocess.run(
            [str(word) for word in command], env=env, capture_output=True, text=True, check=False
        )
        if done.returncode not in ok:
            raise RuntimeError(f"{command} exited {done.returncode}: {done.stderr[-2000:]}")

    return run
