"""One thing wrong in a file the user wrote: where, what, and the fix. Pure data."""

from dataclasses import asdict, dataclass
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, order=True)
class Place:
    """A file and, where known, a line in it (counted from 1)."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, order=True)
class Finding:
    """One thing wrong. `what` is a sentence without the place; `fix` says what to write instead."""

    place: Place
    what: str
    fix: str = ""
    level: Level = "error"

    def __str__(self) -> str:
        fix = f"\n    fix: {self.fix}" if self.fix else ""
        return f"{self.place}: {self.level}: {self.what}{fix}"

    def as_json(self) -> dict[str, object]:
        """A flat record for `--json`: file, line, level, what, fix."""
        record = asdict(self)
        return {**record.pop("place"), **record}
