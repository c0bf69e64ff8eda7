"""What a drawing is made of, and how wide text is. Pure.

Lengths are in pixels from the top left corner; a label's `y` is its baseline.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Font:
    """A kind of text. `size` is in pixels."""

    size: int
    bold: bool = False
    mono: bool = False


FONTS = {
    "title": Font(26, bold=True),
    "heading": Font(16, bold=True),
    "name": Font(13, bold=True),
    "body": Font(12),
    "caption": Font(11, bold=True),
    "note": Font(11),
    "range": Font(11, mono=True),
    "network": Font(13, mono=True),
    "chip": Font(10, bold=True),
}

# Widths in em of a wide common face (DejaVu Sans), so that text fits in every narrower one.
_MONO, _NARROW, _WIDE, _CAPITAL, _OTHER, _BOLDER = 0.602, 0.38, 0.95, 0.70, 0.62, 1.1
_NARROW_LETTERS = frozenset("iljtfr.,:;|!'()[]/ ·-")
_WIDE_LETTERS = frozenset("mwMW@%–—")


@lru_cache(maxsize=10_000)
def text_width(text: str, kind: str) -> float:
    """How wide a line of this kind of text may get."""
    font = FONTS[kind]
    em = sum(_em(letter, font) for letter in text)
    return em * font.size * (_BOLDER if font.bold and not font.mono else 1)


def _em(letter: str, font: Font) -> float:
    if font.mono:
        return _MONO
    if letter in _NARROW_LETTERS:
        return _NARROW
    if letter in _WIDE_LETTERS:
        return _WIDE
    return _CAPITAL if letter.isupper() else _OTHER


def fit(text: str, kind: str, width: float) -> str:
    """The text, or as much of it as fits, ending in an ellipsis."""
    if text_width(text, kind) <= width:
        return text
    for length in range(len(text) - 1, 0, -1):
        short = text[:length].rstrip() + "…"
        if text_width(short, kind) <= width:
            return short
    return ""


@dataclass(frozen=True)
class Label:
    """One line of text; `colour` is a class of the style sheet, "" for the kind's own."""

    x: float
    y: float
    text: str
    kind: str
    anchor: Anchor = "start"
    colour: str = ""

    def moved(self, dx: float, dy: float) -> "Label":
        return Label(self.x + dx, self.y + dy, self.text, self.kind, self.anchor, self.colour)

    @property
    def left(self) -> float:
        return self.x - self.width * {"start": 0, "middle": 0.5, "end": 1}[self.anchor]

    @property
    def width(self) -> float:
        return text_width(self.text, self.kind)


@dataclass(frozen=True)
class Icon:
    """A 16-pixel symbol of the style sheet; `x` and `y` are its top left corner."""

    x: float
    y: float
    name: str


@dataclass(frozen=True)
class Box:
    """A rectangle with text and boxes inside it. `title` is what a pointer resting on it shows."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    labels: tuple[Label, ...] = ()
    icons: tuple[Icon, ...] = ()
    inside: tuple["Box", ...] = ()
    title: str = ""

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    def moved(self, dx: float, dy: float) -> "Box":
        """The same box, with all that is in it, somewhere else."""
        if not dx and not dy:
            return self
        # Spelled out: `dataclasses.replace` takes four times as long, and each part of a picture
        # is moved half a dozen times.
        return Box(
            self.x + dx,
            self.y + dy,
            self.width,
            self.height,
            self.kind,
            tuple([one.moved(dx, dy) for one in self.labels]),
            tuple([Icon(one.x + dx, one.y + dy, one.name) for one in self.icons]),
            tuple([box.moved(dx, dy) for box in self.inside]),
            self.title,
        )


@dataclass(frozen=True)
class Line:
    """A line through right angles, rounded when drawn; a dot at each end in `dots`."""

    points: tuple[tuple[float, float], ...]
    kind: str
    title: str = ""
    dots: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Drawing:
    """A whole picture: what is drawn first lies below."""

    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    lines: tuple[Line, ...] = ()
    labels: tuple[Label, ...] = ()


def stacked(boxes: Iterable[Box], x: float, y: float, gap: float) -> list[Box]:
    """The boxes one below the other, the first at (x, y)."""
    placed = []
    for box in boxes:
        placed.append(box.moved(x - box.x, y - box.y))
        y = placed[-1].bottom + gap
    return placed


def in_row(boxes: Iterable[Box], x: float, y: float, gap: float) -> list[Box]:
    """The boxes side by side, the first at (x, y)."""
    placed = []
    for box in boxes:
        placed.append(box.moved(x - box.x, y - box.y))
        x = placed[-1].right + gap
    return placed


def flowed(boxes: Iterable[Box], x: float, y: float, width: float, gap: float) -> list[Box]:
    """The boxes side by side, in as many rows as they need to stay within `width`."""
    placed: list[Box] = []
    left, top, below = x, y, y
    for box in boxes:
        if placed and left + box.width > x + width:
            left, top = x, below + gap
        placed.append(box.moved(left - box.x, top - box.y))
        left, below = placed[-1].right + gap, max(below, placed[-1].bottom)
    return placed


def every(boxes: Iterable[Box]) -> Iterator[Box]:
    """All boxes, outer before inner."""
    for box in boxes:
        yield box
        yield from every(box.inside)


def bottom(boxes: Iterable[Box], otherwise: float) -> float:
    """The lowest edge of the boxes."""
    return max((box.bottom for box in boxes), default=otherwise)
