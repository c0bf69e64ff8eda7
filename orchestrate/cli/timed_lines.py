"""Progress where stderr is no terminal: a line a step, with the time since the beginning."""

import sys
import time
from collections.abc import Callable

from orchestrate.plain_text import visible

# After so long without a line, whoever works says that it still does.
SIGN_OF_LIFE_S = 30.0


class TimedLines:
    """`[  12.3s] about: what`, on stderr. `begun` (monotonic, s) is when the run began."""

    def __init__(
        self,
        write: Callable[[str], object] = sys.stderr.write,
        clock: Callable[[], float] = time.monotonic,
        begun: float | None = None,
    ) -> None:
        self._write = write
        self._clock = clock
        self._begun = clock() if begun is None else begun
        self._spoken: dict[str, float] = {}

    def say(self, what: str, about: str = "") -> None:
        now = self._clock()
        self._spoken[about] = now
        subject = f"{about}: " if about else ""
        self._write(f"[{now - self._begun:6.1f}s] {visible(subject + what)}\n")

    def silent(self, about: str = "") -> bool:
        """Whether a sign of life is due: nothing was said about it for long."""
        return self._clock() - self._spoken.get(about, self._begun) >= SIGN_OF_LIFE_S
