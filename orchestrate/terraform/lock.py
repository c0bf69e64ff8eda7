"""Who holds the lock of a stack's state, as Terraform writes it. Pure.

The same facts come in two shapes: JSON in the lock file beside the state, and text in the error
of a run that found the lock taken.
"""

import json
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class LockInfo:
    """`who` is user@host; `created` is in UTC as Go prints a time; `operation` e.g. `apply`."""

    id: str
    who: str
    created: str
    operation: str

    def __str__(self) -> str:
        return f"{self.who} ({self.operation}, since {self.created})"


def from_file(content: bytes) -> LockInfo:
    """The content of `<stack>.tfstate.tflock`; raises ValueError when it is something else."""
    told = json.loads(content)
    if not isinstance(told, dict):
        raise ValueError("a lock file holds one JSON object")
    return _lock({key: str(value) for key, value in told.items()})


def from_error(detail: str) -> LockInfo | None:
    """The lock that an error's `Lock Info:` describes; None when it describes none."""
    _, found, info = detail.partition("Lock Info:")
    told = dict(re.findall(r"^\s*(\w+):\s*(.*?)\s*$", info, re.MULTILINE))
    return _lock(told) if found and "ID" in told else None


def _lock(told: dict[str, str]) -> LockInfo:
    return LockInfo(
        id=told.get("ID", ""),
        who=told.get("Who", "someone"),
        created=_moment(told.get("Created", "")),
        operation=told.get("Operation", "").removeprefix("OperationType").lower() or "unknown",
    )


def _moment(text: str) -> str:
    """A time to the second, the same from both shapes: `2026-11-29 22:15:04 UTC`."""
    found = re.match(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})", text)
    return f"{found[1]} {found[2]} UTC" if found else text
