"""How hosts that were named and left out are told of, by converge and verify alike."""

from collections.abc import Sequence

MARK = "[yellow]left out[/]"


def nothing_done(words: Sequence[str]) -> str:
    """The last line where all that a word names was left out: the run failed for it."""
    return f"[red]nothing was done for what was named[/]: {', '.join(words)}"
