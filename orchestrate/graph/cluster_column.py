"""A cluster as a column: its region's panel with the VPC, and below it storage and ranges. Pure."""

from dataclasses import dataclass

from orchestrate.graph.parts import (
    caption,
    door_row,
    group_row,
    icon_chip,
    range_row,
    zone_captions,
    zone_row,
)
from orchestrate.graph.shapes import Box, Icon, Label, bottom, fit, flowed, stacked, text_width
from orchestrate.graph.topology import ClusterView

PAD = 16
HEADER = 74
VPC_HEADER = 40
ICON_ROOM = 24
STUB = 14  # between the lines of one cluster's links


@dataclass(frozen=True)
class Frame:
    """What all columns share, so that they line up: widths, and the height of the VPC.

    `strip` is what is kept free on the right of the header, and `gutter` below the VPC, for lines.
    """

    zone_names: float
    inner: float
    strip: float
    gutter: float
    vpc_height: float = 0

    @property
    def width(self) -> float:
        return self.inner + 4 * PAD


def column(cluster: ClusterView, frame: Frame) -> Box:
    """The cluster's panel at (0, 0)."""
    vpc = _vpc(cluster, frame)
    below = _below(cluster, frame, vpc.bottom + 12)
    return Box(
        0,
        0,
        frame.width,
        bottom(below, vpc.bottom) + PAD,
        "region",
        _header(cluster, frame),
        inside=(vpc, *below),
    )


def vpc_of(panel: Box) -> Box:
    """The VPC's box in a cluster's panel."""
    return next(box for box in panel.inside if box.kind == "vpc")


def _header(cluster: ClusterView, frame: Frame) -> tuple[Label, ...]:
    width = frame.width - 2 * PAD - frame.strip
    where = f"{cluster.region} · {cluster.domain}"
    return (
        Label(PAD, 28, fit(cluster.name, "heading", width), "heading"),
        Label(PAD, 46, fit(where, "note", width), "note", colour="region-name"),
        Label(PAD, 62, fit(cluster.description, "note", width), "note", colour="dim"),
    )


def _vpc(cluster: ClusterView, frame: Frame) -> Box:
    width = frame.inner
    zones = [zone_row(zone, frame.zone_names) for zone in cluster.zones]
    rows = stacked([zone_captions(frame.zone_names), *zones], 0, 0, 2)
    network = Box(0, 0, width, rows[-1].bottom, "plain", inside=tuple(rows))
    doors = [door_row(door, width) for door in cluster.doors]
    groups = [group_row(group, width) for group in cluster.groups]
    parts = [network, caption("doors", width), *doors]
    if groups:
        parts += [caption("node groups", width), *groups]
    inside = stacked(parts, PAD, VPC_HEADER, 6)
    height = max(inside[-1].bottom + PAD, frame.vpc_height)
    gateway = icon_chip("globe", "internet gateway", "igw", "where the public subnets reach out")
    gateway = gateway.moved(PAD + width - gateway.width, 8)
    beside = PAD + ICON_ROOM + text_width("VPC", "name") + 8
    labels = (
        Label(PAD + ICON_ROOM, 25, "VPC", "name", colour="vpc"),
        Label(beside, 25, cluster.vpc, "network", colour="vpc"),
    )
    box = Box(
        0,
        0,
        width + 2 * PAD,
        height,
        "vpc",
        labels,
        (Icon(PAD, 12, "network"),),
        (gateway, *inside),
    )
    return box.moved(PAD, HEADER)


def _below(cluster: ClusterView, frame: Frame, y: float) -> list[Box]:
    width = frame.inner + 2 * PAD - frame.gutter
    chips = [
        icon_chip("folder", name, "efs", "EFS, with a mount target in every zone")
        for name in cluster.filesystems
    ] + [icon_chip("bucket", name, "s3", "S3 bucket") for name in cluster.buckets]
    storage = flowed(chips, PAD, y, width, 8)
    y = bottom(storage, y - 8) + 8
    half = (width - 24) / 2
    ranges = [range_row("pods", cluster.pods, half), range_row("services", cluster.services, half)]
    return [*storage, *(box.moved(PAD + n * (half + 24), y) for n, box in enumerate(ranges))]
