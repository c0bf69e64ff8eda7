"""Bars, redrawn in place, that fit the terminal: names, a bar, the time, what is being done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# A terminal has 80 columns unless somebody made it wider.
NARROW = 100


def bars(*before: str, count: bool, last: str, console: Console | None = None) -> Progress:
    """Progress on stderr: texts with rich's markup, bar, `count` as 3/5, time, and the text `last`.

    What comes last gets what is left of a line and is cut at its end; the bar gives way first.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.table import Column

    from orchestrate.cli.terminal import Terminal

    console = console or Terminal(stderr=True)
    columns: list[ProgressColumn] = [
        TextColumn(text, table_column=Column(no_wrap=True)) for text in before
    ]
    columns.append(BarColumn(bar_width=24 if console.width >= NARROW else 8))
    if count:
        columns.append(MofNCompleteColumn(table_column=Column(no_wrap=True)))
    columns.append(TimeElapsedColumn(table_column=Column(no_wrap=True)))
    rest = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    columns.append(TextColumn(f"[dim]{last}", table_column=rest))
    return Progress(*columns, console=console, transient=True, expand=True)
