"""What a change changes, as a person reads it: `max_size: 100 → 120`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate.terraform.differences import Difference, Value

INDENT = " " * 10
LONGEST = 160
# What becomes nobody knows yet: a long value before says nothing about it.
SHORT = 40
HIDDEN = "(sensitive)"
LATER = "(known after the apply)"
NOTHING = "(none)"


def lines(rows: Sequence[Difference]) -> Iterator[str]:
    """The rows of one resource, with markup."""
    from rich.markup import escape

    for row in rows:
        notes = "  [magenta]forces replacement[/]" if row.replaces else ""
        notes += "  [dim](changed outside of Terraform)[/]" if row.drifted else ""
        said, *more = _said(row)
        yield f"{INDENT}[bold]{escape(row.path)}[/]{said}{notes}"
        yield from more


def as_json(row: Difference) -> dict[str, object]:
    """One attribute, for programs. What is sensitive or not known yet has no values."""
    told: dict[str, object] = {"path": row.path}
    if row.added or row.removed:
        told |= {"added": list(row.added), "removed": list(row.removed)}
    elif not row.sensitive:
        told |= {"before": row.before, "after": row.after}
    flags = ("sensitive", "replaces", "drifted")
    told |= {flag: True for flag in flags if getattr(row, flag)}
    return told if row.known else {**told, "known_after_apply": True}


def _said(row: Difference) -> list[str]:
    """What stands behind the attribute's name, and the lines below it."""
    if row.sensitive:
        return [f": {HIDDEN} → {HIDDEN if row.known else LATER}"]
    if row.added or row.removed:
        return [":", *_items("red", "-", row.removed), *_items("green", "+", row.added)]
    if not row.known:
        before = _text(row.before)
        told = len(before) <= SHORT and "\n" not in before
        return [f": {before} → {LATER}" if told else f": {LATER}"]
    if any(isinstance(each, str) and "\n" in each for each in (row.before, row.after)):
        return [":", *_text_lines(row.before or "", row.after or "")]
    if row.before is None:
        return [f": [green]{_text(row.after)}[/]"]
    return [f": [red]{_text(row.before)}[/] → [green]{_text(row.after)}[/]"]


def _items(colour: str, sign: str, values: Sequence[Value]) -> Iterator[str]:
    for each in values:
        yield f"{INDENT}  [{colour}]{sign} {_text(each)}[/]"


def _text_lines(before: str, after: str) -> Iterator[str]:
    """A text of several lines as a diff, with two lines around what differs."""
    from rich.markup import escape

    found = unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm="")
    for line in list(found)[2:]:
        colour = {"+": "green", "-": "red"}.get(line[:1], "dim")
        yield f"{INDENT}  [{colour}]{escape(line)}[/]"


def _text(value: Value) -> str:
    """A value on one line, cut where it is very long."""
    from rich.markup import escape

    if value is None or value == "":
        return NOTHING
    text = value if isinstance(value, str) else json.dumps(value)
    return escape(text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …")
