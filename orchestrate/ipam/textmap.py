"""Draw strips to scale in characters, for a terminal. Pure.

A character is a cell: the same number of addresses everywhere in a strip. A capital letter has
its whole cell, a small one a part of it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from itertools import groupby
from string import ascii_uppercase

from orchestrate.ipam.strips import Part, Strip

WIDTH = 64
MOST_ROWS = 4
SEVERAL = "+"
ANYBODY = "#"
KINDS = {"free": "·", "reserved": "/", "external": "x", "resting": "~"}
WORDS = {**{symbol: kind for kind, symbol in KINDS.items()}, SEVERAL: "several"}

Paint = Callable[[str, str], str]
"""Colours symbols that belong together: (symbols, label of their owner or their kind) -> text."""


def plain(symbols: str, _: str) -> str:
    return symbols


def draw(strips: Sequence[Strip], paint: Paint = plain) -> str:
    """The strips one below the other, and what their symbols mean."""
    letters = _letters(strips)
    drawn = [_draw(strip, letters, paint) for strip in strips]
    used = {symbol for _, symbols in drawn for symbol in symbols}
    return "\n\n".join([*(text for text, _ in drawn), _legend(letters, used, paint)])


def rows(strip: Strip) -> int:
    """In how many rows to draw: enough to tell the smallest range apart, if a few will do."""
    smallest = min((part.size for part in strip.parts if part.kind == "given"), default=0)
    cells = strip.range.num_addresses // smallest if smallest else WIDTH
    return max(1, min(MOST_ROWS, cells // WIDTH))


def cell_size(strip: Strip) -> int:
    """Addresses in one cell, a power of two."""
    return max(1, strip.range.num_addresses // (WIDTH * rows(strip)))


def _letters(strips: Sequence[Strip]) -> dict[str, str]:
    labels = sorted({p.label for strip in strips for p in strip.parts if p.kind == "given"})
    if len(labels) > len(ascii_uppercase):
        return dict.fromkeys(labels, ANYBODY)
    return dict(zip(labels, ascii_uppercase, strict=False))


def _draw(strip: Strip, letters: Mapping[str, str], paint: Paint) -> tuple[str, set[str]]:
    cells = list(_cells(strip, letters))
    first, size = int(strip.range.network_address), cell_size(strip)
    lines = [f"{strip.name}  {strip.range}  (one cell: {_addresses(size)})"]
    for at in range(0, len(cells), WIDTH):
        runs = groupby(cells[at : at + WIDTH])
        row = "".join(paint(symbol * len(list(run)), label) for (symbol, label), run in runs)
        lines.append(f"  {IPv4Address(first + at * size)!s:<15} {row}")
    return "\n".join(lines), {symbol for symbol, _ in cells}


def _addresses(size: int) -> str:
    return f"a /{33 - size.bit_length()}, {size:,} addresses"


def _cells(strip: Strip, letters: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    size = cell_size(strip)
    first, last = int(strip.range.network_address), int(strip.range.broadcast_address)
    parts, at = strip.parts, 0
    for start in range(first, last + 1, size):
        while parts[at].stop <= start:
            at += 1
        upto = bisect_left(parts, start + size, lo=at, key=lambda part: part.start)
        yield _cell(parts[at:upto], letters)


def _cell(parts: Sequence[Part], letters: Mapping[str, str]) -> tuple[str, str]:
    """The symbol of a cell with these parts, and whose it is."""
    owners = {part.label for part in parts if part.kind == "given"}
    if len(owners) > 1:
        return SEVERAL, ""
    if owners:
        label = owners.pop()
        whole = all(part.kind == "given" for part in parts)
        return letters[label] if whole else letters[label].lower(), label
    kinds = [kind for kind in ("resting", "external", "reserved") for p in parts if p.kind == kind]
    kind = kinds[0] if kinds else "free"
    return KINDS[kind], kind


def _legend(letters: Mapping[str, str], used: set[str], paint: Paint) -> str:
    owners = [
        f"{paint(letter, label)} {label}" for label, letter in letters.items() if letter != ANYBODY
    ]
    anybody = [f"{ANYBODY} given"] if ANYBODY in used else []
    kinds = [f"{paint(symbol, word)} {word}" for symbol, word in WORDS.items() if symbol in used]
    return "  " + "   ".join([*owners, *anybody, *kinds])
