"""What a benchmark returns, and how programs are timed: in turns, by the median."""

import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Work = Callable[[], object]
# No program that is measured takes a tenth of it: one that hangs must not hold the others up.
PATIENCE_S = 600


@dataclass(frozen=True)
class Measurement:
    """One measured number. `target` is the most it should be; None where it is only to compare."""

    what: str
    value: float
    unit: Literal["ms", "s", "x", "MiB", "/s"]
    target: float | None = None
    note: str = ""

    @property
    def of_target(self) -> str:
        """The value as a multiple of its target, "" where it has none."""
        return f"{self.value / self.target:.2f}×" if self.target else ""

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.value <= self.target else "missed"


@dataclass(frozen=True)
class Section:
    """What one benchmark measured, the machine's load before it, and the seconds it took."""

    about: str
    measurements: tuple[Measurement, ...]
    load: float
    seconds: float


@dataclass(frozen=True)
class Side:
    """One of several things to compare; only `work` is timed."""

    work: Work
    before: Work = lambda: None
    after: Work = lambda: None


def in_turns(rounds: int, sides: Mapping[str, Side], *, warm_up: bool = True) -> dict[str, float]:
    """The median seconds of each side, run A B A B so that a busy machine slows all alike.

    With `warm_up` each side runs once beforehand, uncounted: files are read and compiled then.
    """
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds + warm_up):
        for name, side in sides.items():
            side.before()
            took = seconds(side.work)
            side.after()
            if turn >= warm_up:
                taken[name].append(took)
    return {name: statistics.median(times) for name, times in taken.items()}


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
            [str(word) for word in command],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        if done.returncode not in ok:
            raise RuntimeError(f"{command} exited {done.returncode}: {done.stderr[-2000:]}")

    return run
