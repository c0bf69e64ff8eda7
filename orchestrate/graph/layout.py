"""A topology as a drawing: clusters in columns, sites below them, links between. Pure.

Every length follows from the content, so nothing overlaps and every text has its room.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from orchestrate.graph import cluster_column, links, site_panel
from orchestrate.graph.cluster_column import STUB, Frame, column, vpc_of
from orchestrate.graph.legend import legend
from orchestrate.graph.outline import totals
from orchestrate.graph.parts import zone_captions, zone_width
from orchestrate.graph.shapes import Box, Drawing, Label, Line, bottom, fit, in_row
from orchestrate.graph.topology import Topology

MARGIN = 36
GAP = 36
TITLE = 84
BELOW_LANES = 12
LEAST_WIDTH = 640


def layout(shown: Topology) -> Drawing:
    """The picture of a topology."""
    frame = _frame(shown)
    width = _width(shown, frame)
    left = MARGIN + (width - _columns_width(shown, frame)) / 2
    spans = _spans(shown, frame, left) if shown.drawn_apart else []
    lowest = TITLE + links.LANE * (links.lanes(spans) if shown.drawn_apart else 1)
    panels = in_row(_level(_columns(shown, frame)), left, lowest + BELOW_LANES, GAP)
    sites = _sites(shown, bottom(panels, lowest), width)
    key = legend(shown, width).moved(MARGIN, bottom([*panels, *sites], lowest) + 28)
    return Drawing(
        width=width + 2 * MARGIN,
        height=key.bottom + MARGIN - 12,
        boxes=(*panels, *sites, key),
        lines=(
            *_peerings(shown, spans, panels, lowest),
            *_site_links(shown, panels, sites),
        ),
        labels=_title(shown, width),
    )


def _frame(shown: Topology) -> Frame:
    """Widths from the longest zone name."""
    zones = [zone.name for cluster in shown.clusters for zone in cluster.zones]
    names = zone_width(zones)
    # One line that joins all needs the room of one.
    peers = max(len(shown.clusters) - 1, 0) if shown.drawn_apart else 1
    return Frame(
        zone_names=names,
        inner=zone_captions(names).width,
        strip=STUB * (peers + 1) if peers else 0,
        gutter=STUB * (len(shown.sites) + 1) if shown.sites else 0,
    )


def _columns(shown: Topology, frame: Frame) -> list[Box]:
    """The clusters' panels, each VPC as high as the fullest."""
    panels = [column(cluster, frame) for cluster in shown.clusters]
    tallest = max((vpc_of(panel).height for panel in panels), default=0)
    level = replace(frame, vpc_height=tallest)
    return [
        panel if vpc_of(panel).height == tallest else column(cluster, level)
        for cluster, panel in zip(shown.clusters, panels, strict=True)
    ]


def _columns_width(shown: Topology, frame: Frame) -> float:
    count = len(shown.clusters)
    return count * frame.width + max(count - 1, 0) * GAP


def _width(shown: Topology, frame: Frame) -> float:
    """The width between the margins: that of the columns or the sites, whichever is more."""
    sites = sum(site_panel.least_width(site) + GAP for site in shown.sites) - GAP
    return max(_columns_width(shown, frame), sites, LEAST_WIDTH)


def _spans(shown: Topology, frame: Frame, left: float) -> list[links.Span]:
    """The peerings' ways, between the clusters' right edges as the columns stand."""
    names = [cluster.name for cluster in shown.clusters]
    first = left + frame.width - cluster_column.PAD
    right = {name: first + number * (frame.width + GAP) for number, name in enumerate(names)}
    pairs = list(combinations(shown.mesh, 2))
    return links.spans(pairs, links.ports(names, set(pairs), right))


def _peerings(
    shown: Topology, spans: Sequence[links.Span], panels: Sequence[Box], lowest: float
) -> list[Line]:
    """A line for each pair; or where they are many, one line that joins all the VPCs."""
    if shown.drawn_apart:
        return [links.peering(span, vpc_of(panels[0]).y, lowest) for span in spans]
    vpcs = [vpc_of(panel) for panel in panels]
    title = f"VPC peering: each of {len(vpcs):,} clusters with each other"
    return links.bus([(vpc.right - STUB, vpc.y) for vpc in vpcs], lowest, "peering", title)


def _title(shown: Topology, width: float) -> tuple[Label, ...]:
    return (
        Label(MARGIN, 52, fit(shown.fleet, "title", width), "title"),
        Label(MARGIN, 74, fit(_subtitle(shown), "body", width), "body", colour="dim"),
    )


def _subtitle(shown: Topology) -> str:
    return " · ".join(filter(None, [shown.description, totals(shown)]))


def _sites(shown: Topology, ground: float, width: float) -> list[Box]:
    """The sites side by side, sharing the width that is left over."""
    if not shown.sites:
        return []
    least = [site_panel.least_width(site) for site in shown.sites]
    spare = (width - sum(least) - GAP * (len(least) - 1)) / len(least)
    panels = [
        site_panel.panel(site, own + spare) for site, own in zip(shown.sites, least, strict=True)
    ]
    y = ground + (GAP + STUB * len(panels) if shown.clusters else 0)
    return in_row(_level(panels), MARGIN, y, GAP)


def _site_links(shown: Topology, panels: Sequence[Box], sites: Sequence[Box]) -> list[Line]:
    """Every site's links to every VPC, each site in a lane of its own between the two rows."""
    lines: list[Line] = []
    for number, (site, box) in enumerate(zip(shown.sites, sites, strict=True)):
        vpcs = [vpc_of(panel) for panel in panels]
        drops = [(vpc.right - STUB * (number + 1), vpc.bottom) for vpc in vpcs]
        lane = bottom(panels, 0) + GAP / 2 + STUB * number
        if drops:
            lines += links.site_links(site.name, site_panel.gateway_of(box), drops, lane)
    return lines


def _level(panels: Sequence[Box]) -> list[Box]:
    """The panels, all as high as the highest."""
    tallest = max((panel.height for panel in panels), default=0)
    return [replace(panel, height=tallest) for panel in panels]
