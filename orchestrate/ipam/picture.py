"""Draw strips to scale as one SVG picture, for a wiki page or a browser. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address, summarize_address_range
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from orchestrate.ipam.strips import Kind, Part, Strip
from orchestrate.ipam.textmap import rows

WIDTH, ROW, GAP, MARGIN, HEAD = 1024, 26, 6, 24, 22  # pixels
LETTER = 6.6  # pixels a letter of the labels takes, so that only what fits is written
MOST_IN_KEY = 40  # with more owners than that, a key helps nobody; the tooltips remain
# Turning the hue by the golden angle keeps neighbours apart however many there are.
GOLDEN_ANGLE = 137.508
FILLS: dict[Kind, str] = {
    "free": "#f4f4f2",
    "reserved": "#c9c9c4",
    "external": "#8c8c88",
    "resting": "#e8d9a8",
}
STYLE = """
text { font: 12px ui-monospace, monospace; fill: #222 }
.name { font-weight: bold }
.small { font-size: 11px }
rect { stroke: #fff; stroke-width: 1 }
"""


def draw(strips: Sequence[Strip]) -> str:
    """The picture's text: each strip in rows from its first address to its last, then a key."""
    hues = _hues(strips)
    svg = Element("svg", xmlns="http://www.w3.org/2000/svg")
    SubElement(svg, "style").text = STYLE
    SubElement(svg, "rect", {"width": "100%", "height": "100%", "fill": "#fff"})
    y = MARGIN
    for strip in strips:
        y = _draw(svg, strip, hues, y)
    y = _key(svg, strips, hues, y)
    width = WIDTH + 2 * MARGIN
    svg.set("viewBox", f"0 0 {width} {y}")
    svg.set("width", str(width))
    svg.set("height", str(y))
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


def _hues(strips: Sequence[Strip]) -> dict[str, str]:
    """A colour for each label, in the order in which they come: pools' owners before subnets."""
    given = (part.label for strip in strips for part in strip.parts if part.kind == "given")
    return {
        label: f"hsl({index * GOLDEN_ANGLE % 360:.0f} 60% 72%)"
        for index, label in enumerate(dict.fromkeys(given))
    }


def _draw(svg: Element, strip: Strip, hues: Mapping[str, str], y: int) -> int:
    """Add one strip at `y`; the place for the next."""
    name = SubElement(svg, "text", {"class": "name", "x": str(MARGIN), "y": str(y + 12)})
    name.text = f"{strip.name}  {strip.range}"
    y += HEAD
    for part in strip.parts:
        for row, start, stop in _in_rows(strip, part):
            _rectangle(svg, part, hues, (start, y + row * (ROW + 2), stop - start))
    return y + rows(strip) * (ROW + 2) + GAP


def _in_rows(strip: Strip, part: Part) -> Iterator[tuple[int, float, float]]:
    """The pieces of a part, row by row: (row, from x, to x)."""
    first, count = int(strip.range.network_address), rows(strip)
    length = strip.range.num_addresses // count
    for row in range(count):
        begin = first + row * length
        start, stop = max(part.start, begin), min(part.stop, begin + length)
        if start < stop:
            scale = WIDTH / length
            yield row, MARGIN + (start - begin) * scale, MARGIN + (stop - begin) * scale


def _rectangle(
    svg: Element, part: Part, hues: Mapping[str, str], place: tuple[float, float, float]
) -> None:
    x, y, width = place
    fill = hues.get(part.label, "") if part.kind == "given" else FILLS[part.kind]
    box = {"x": f"{x:.2f}", "y": f"{y:.0f}", "width": f"{width:.2f}", "height": str(ROW)}
    group = SubElement(svg, "g")
    SubElement(group, "rect", {**box, "fill": fill})
    SubElement(group, "title").text = _tooltip(part)
    label = part.label or part.kind
    if len(label) * LETTER + 8 < width and part.kind != "free":
        text = {"class": "small", "x": f"{x + 4:.2f}", "y": f"{y + 17:.0f}"}
        SubElement(group, "text", text).text = label


def _tooltip(part: Part) -> str:
    first, last = IPv4Address(part.start), IPv4Address(part.stop - 1)
    ranges = ", ".join(str(block) for block in summarize_address_range(first, last))
    return f"{part.kind}: {part.label}  {ranges}" if part.label else f"{part.kind}  {ranges}"


def _key(svg: Element, strips: Sequence[Strip], hues: Mapping[str, str], y: int) -> int:
    """What each colour means, in columns below; the place below it."""
    used = {part.kind for strip in strips for part in strip.parts}
    owners = hues.items() if len(hues) <= MOST_IN_KEY else ()
    entries = [*owners, *((kind, fill) for kind, fill in FILLS.items() if kind in used)]
    columns = 4
    for index, (label, fill) in enumerate(entries):
        x = MARGIN + index % columns * (WIDTH // columns)
        top = y + GAP + index // columns * HEAD
        place = {"x": str(x), "y": str(top), "width": "14", "height": "14"}
        SubElement(svg, "rect", {**place, "fill": fill})
        SubElement(svg, "text", {"x": str(x + 20), "y": str(top + 12)}).text = label
    return y + GAP + -(-len(entries) // columns) * HEAD + MARGIN // 2
