"""One thing wrong in a file the user wrote: where, what, and the fix. Pure data."""

from dataclasses import asdict, dataclass
from typing import Literal

from orchestrate.plain_text import shown, visible

# A value is quoted at its beginning only (`plain_text.shown`); this is for many of them.
LONGEST = 1000
Level = Literal["error", "warning"]


@dataclass(frozen=True, order=True)
class Place:
    """A file and, where known, a line in it (counted from 1)."""

    file: str
    line: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", visible(self.file))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, order=True)
class Finding:
    """One thing wrong. `what` is a sentence without the place; `fix` says what to write instead."""

    place: Place
    what: str
    fix: str = ""
    level: Level = "error"

    def __post_init__(self) -> None:
        """Findings quote what is wrong: they stay one line, and one that can be seen and read."""
        for field in ("what", "fix"):
            object.__setattr__(self, field, shown(getattr(self, field), LONGEST))

    def __str__(self) -> str:
        fix = f"\n    fix: {self.fix}" if self.fix else ""
        return f"{self.place}: {self.level}: {self.what}{fix}"

    def as_json(self) -> dict[str, object]:
        """A flat record for `--json`: file, line, level, what, fix."""
        record = asdict(self)
        return {**record.pop("place"), **record}
