"""The consoles that commands print with. The only maker of rich's.

Names, causes and logs come from AWS, hosts and files. What can't be seen in them is spelled out
(`plain_text`), so that no escape sequence of others reaches a terminal; a link that somebody's
`[link=…]` would make is left out, as we make none; and what isn't valid markup is printed as it is.
Whoever builds a text with markup of our own still escapes what others wrote: `rich.markup.escape`.
"""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.errors import MarkupError
from rich.segment import Segment
from rich.text import Text

from orchestrate.plain_text import visible_lines


class Terminal(Console):
    """A console on which others' text is text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """The text with its markup; here already, as widths are measured by what comes out."""
        plain = visible_lines(text)
        try:
            return super().render_str(plain, **options)
        except MarkupError:
            return super().render_str(plain, **{**options, "markup": False})

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The last gate: what comes as `Text` never was a string here."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else _plain(segment)


def _plain(segment: Segment) -> Segment:
    style = segment.style
    if style is not None and style.link:
        style = style.update_link(None)
    return Segment(visible_lines(segment.text), style)
