"""Who holds the lock of a stack's state, as Terraform tells a run that found it taken. Pure."""

import re
from dataclasses import dataclass

from orchestrate.plain_text import shown


@dataclass(frozen=True)
class LockInfo:
    """`who` is user@host; `created` e.g. `2026-11-29 22:15:04 UTC`; `operation` e.g. `apply`."""

    id: str
    who: str
    created: str
    operation: str

    def __str__(self) -> str:
        return f"{self.who} ({self.operation}, since {self.created})"


def from_error(detail: str) -> LockInfo | None:
    """The lock that an error's `Lock Info:` describes; None when it describes none."""
    _, found, info = detail.partition("Lock Info:")
    lines = re.findall(r"^\s*(\w+):\s*(.*?)\s*$", info, re.MULTILINE)
    told = {key: shown(value) for key, value in lines}
    if not found or "ID" not in told:
        return None
    return LockInfo(
        id=told["ID"],
        who=told.get("Who", "someone"),
        created=_to_the_second(told.get("Created", "")),
        operation=told.get("Operation", "").removeprefix("OperationType").lower() or "unknown",
    )


def _to_the_second(text: str) -> str:
    """Go's `2026-11-29 22:15:04.847918004 +0000 UTC` as `2026-11-29 22:15:04 UTC`."""
    found = re.match(r"(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})", text)
    return f"{found[0]} UTC" if found else text
