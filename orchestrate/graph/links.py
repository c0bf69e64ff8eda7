"""Lines between networks: peerings above the clusters, site VPNs below them. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from orchestrate.graph.cluster_column import STUB
from orchestrate.graph.shapes import Box, Line

LANE = 16
CLEAR = 10  # between two lines in one lane


@dataclass(frozen=True)
class Span:
    """A link's way along a lane, from one port to another; lane 0 is the nearest to the boxes."""

    left: float
    right: float
    ends: tuple[str, str]
    lane: int = 0


def ports(
    order: Sequence[str], pairs: Collection[tuple[str, str]], right: Mapping[str, float]
) -> dict[tuple[str, str], float]:
    """Where each link leaves each cluster: (cluster, peer) -> x, left of the cluster's `right`.

    To each side the nearest peer is outermost, because its link takes the lower lane: so no
    link crosses another of the same cluster.
    """
    found: dict[tuple[str, str], float] = {}
    for number, name in enumerate(order):
        peers = [*reversed(order[:number]), *reversed(order[number + 1 :])]
        linked = [peer for peer in peers if (name, peer) in pairs or (peer, name) in pairs]
        for place, peer in enumerate(linked):
            found[name, peer] = right[name] - STUB * (len(linked) - place)
    return found


def spans(pairs: Sequence[tuple[str, str]], at: Mapping[tuple[str, str], float]) -> list[Span]:
    """Each pair's way, in the nearest lane where it meets no other; short ones are placed first."""
    wanted = [Span(min(at[a, b], at[b, a]), max(at[a, b], at[b, a]), ends=(a, b)) for a, b in pairs]
    lanes: list[list[Span]] = []
    placed = []
    for span in sorted(wanted, key=lambda span: (span.right - span.left, span.left)):
        free = (n for n, lane in enumerate(lanes) if not any(_meet(span, one) for one in lane))
        number = next(free, len(lanes))
        if number == len(lanes):
            lanes.append([])
        placed.append(Span(span.left, span.right, span.ends, number))
        lanes[number].append(placed[-1])
    return placed


def _meet(one: Span, other: Span) -> bool:
    return one.left < other.right + CLEAR and other.left < one.right + CLEAR


def lanes(placed: Sequence[Span]) -> int:
    return max((span.lane + 1 for span in placed), default=0)


def peering(span: Span, vpc_top: float, lanes_bottom: float) -> Line:
    """From VPC to VPC, over the panels."""
    y = lanes_bottom - LANE * span.lane
    ends = ((span.left, vpc_top), (span.right, vpc_top))
    points = (ends[0], (span.left, y), (span.right, y), ends[1])
    return Line(points, "peering", f"VPC peering: {' and '.join(span.ends)}", ends)


def site_links(
    site: str, gateway: Box, drops: Sequence[tuple[float, float]], y: float
) -> list[Line]:
    """From a site's gateway up to a lane at `y`, and from there to each VPC's lower edge."""
    trunk = (gateway.middle, gateway.y)
    return bus([trunk, *drops], y, "planned", f"site VPN of {site}: planned")


def bus(ends: Sequence[tuple[float, float]], y: float, kind: str, title: str) -> list[Line]:
    """One line at `y` that joins two or more `ends`, each with a dot."""
    first, *between, last = sorted(ends)
    whole = (first, (first[0], y), (last[0], y), last)
    stubs = [Line((end, (end[0], y)), kind, title, (end,)) for end in between]
    return [Line(whole, kind, title, (first, last)), *stubs]
