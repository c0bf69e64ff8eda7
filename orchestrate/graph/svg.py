"""A drawing as an SVG file. Pure but for the template, which is part of the program."""

from functools import cache
from itertools import pairwise
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from orchestrate.graph.layout import layout
from orchestrate.graph.outline import totals
from orchestrate.graph.shapes import FONTS, Line
from orchestrate.graph.topology import Topology
from orchestrate.plain_text import visible

CORNER = 8


def svg(shown: Topology) -> str:
    """The picture; it stands alone, and follows the reader's light or dark setting."""
    drawing = layout(shown)
    return _template().render(
        drawing=drawing,
        fonts=FONTS,
        title=f"Topology of {shown.fleet}",
        description=_described(shown),
    )


def _described(shown: Topology) -> str:
    """What those who cannot see it should know."""
    clusters = [f"{one.name} in {one.region} with VPC {one.vpc}" for one in shown.clusters]
    sites = [f"{one.name} behind {one.gateway}" for one in shown.sites]
    links = f"{shown.peerings:,} VPC peerings" if shown.mesh else ""
    planned = f"{len(shown.site_links)} planned site VPNs" if shown.site_links else ""
    return "; ".join(part for part in [totals(shown), *clusters, *sites, links, planned] if part)


def rounded(line: Line) -> str:
    """The path of a line whose corners are arcs of CORNER pixels, less where there is no room."""
    (x, y), *rest = line.points
    path = [f"M{_number(x)} {_number(y)}"]
    for corner, after in pairwise(rest):
        radius = min(CORNER, _distance((x, y), corner) / 2, _distance(corner, after) / 2)
        before, behind = _towards(corner, (x, y), radius), _towards(corner, after, radius)
        path.append(f"L{_point(before)} Q{_point(corner)} {_point(behind)}")
        x, y = corner
    path.append(f"L{_point(rest[-1])}")
    return " ".join(path)


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _towards(
    start: tuple[float, float], end: tuple[float, float], by: float
) -> tuple[float, float]:
    whole = _distance(start, end) or 1
    return (
        start[0] + (end[0] - start[0]) * by / whole,
        start[1] + (end[1] - start[1]) * by / whole,
    )


def _point(point: tuple[float, float]) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    """Tenths of a pixel, without a needless `.0`."""
    return f"{round(value, 1):g}" if abs(value) < 1e5 else f"{value:.1f}"


def _of_xml(value: object) -> object:
    """What XML can hold: not even an escape makes a control character good."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_of_xml,
    )
    environment.filters["px"] = _number
    environment.filters["rounded"] = rounded
    return environment.get_template("topology.svg.j2")
