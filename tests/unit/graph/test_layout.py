"""The picture's geometry: nothing overlaps, all has its room, lines end where they should."""

from itertools import combinations, pairwise

from orchestrate.graph.cluster_column import vpc_of
from orchestrate.graph.layout import layout
from orchestrate.graph.shapes import Box, Drawing, Line, every, fit, text_width
from orchestrate.graph.site_panel import gateway_of
from orchestrate.graph.topology import Topology

SLACK = 0.01


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.right - SLACK
        and other.x < one.right - SLACK
        and one.y < other.bottom - SLACK
        and other.y < one.bottom - SLACK
    )


def contains(outer: Box, inner: Box) -> bool:
    return (
        outer.x - SLACK <= inner.x
        and outer.y - SLACK <= inner.y
        and inner.right <= outer.right + SLACK
        and inner.bottom <= outer.bottom + SLACK
    )


def whole(drawing: Drawing) -> Box:
    return Box(0, 0, drawing.width, drawing.height, "page", inside=drawing.boxes)


def test_no_box_overlaps_its_neighbour(picture: Topology) -> None:
    for outer in every([whole(layout(picture))]):
        for one, other in combinations(outer.inside, 2):
            assert not overlap(one, other), (one, other)


def test_every_box_lies_within_the_one_around_it(picture: Topology) -> None:
    for outer in every([whole(layout(picture))]):
        for inner in outer.inside:
            assert contains(outer, inner), (outer.kind, inner)


def test_every_text_fits_its_box(picture: Topology) -> None:
    for box in every([whole(layout(picture))]):
        for label in box.labels:
            assert box.x - SLACK <= label.left, label
            assert label.left + label.width <= box.right + SLACK, label
            assert box.y < label.y < box.bottom, label


def test_no_two_texts_of_a_line_meet(picture: Topology) -> None:
    for box in every([whole(layout(picture))]):
        for one, other in combinations(box.labels, 2):
            apart = one.left + one.width <= other.left or other.left + other.width <= one.left
            assert one.y != other.y or apart, (one, other)


def test_no_text_is_covered_by_a_box_beside_it(picture: Topology) -> None:
    for box in every([whole(layout(picture))]):
        for label in box.labels:
            # The letters reach up from the baseline by most of the font's size.
            place = Box(label.left, label.y - 8, label.width, 8, "text")
            assert not any(overlap(place, inner) for inner in box.inside), label


def test_no_line_crosses_a_text(picture: Topology) -> None:
    drawing = layout(picture)
    labels = [label for box in every(drawing.boxes) for label in box.labels]
    texts = [Box(one.left, one.y - 8, one.width, 8, "text") for one in [*labels, *drawing.labels]]
    for line in drawing.lines:
        for stretch in stretches(line):
            assert not any(overlap(stretch, text) for text in texts), line


def stretches(line: Line) -> list[Box]:
    return [
        Box(min(a, c), min(b, d), abs(a - c) + 0.1, abs(b - d) + 0.1, "line")
        for (a, b), (c, d) in pairwise(line.points)
    ]


def test_peerings_go_from_vpc_to_vpc_and_never_run_along_each_other(picture: Topology) -> None:
    drawing = layout(picture)
    vpcs = [vpc_of(box) for box in drawing.boxes if box.kind == "region"]
    lines = [line for line in drawing.lines if line.kind == "peering"]
    if not picture.drawn_apart:
        return  # one line joins them all: test_mesh.py
    assert len(lines) == picture.peerings
    for line in lines:
        (left, top), (right, other_top) = line.points[0], line.points[-1]
        assert any(vpc.x < left < vpc.right and vpc.y == top for vpc in vpcs)
        assert any(vpc.x < right < vpc.right and vpc.y == other_top for vpc in vpcs)
    for one, other in combinations(lines, 2):
        parallel = [
            overlap(a, b)
            for a in stretches(one)
            for b in stretches(other)
            if (a.width > 1) == (b.width > 1)
        ]
        assert not any(parallel), (one.title, other.title)


def test_peerings_of_one_cluster_do_not_cross(picture: Topology) -> None:
    if not picture.drawn_apart:
        return  # one line joins them all: test_mesh.py
    lines = [line for line in layout(picture).lines if line.kind == "peering"]
    pairs = dict(zip([line.title for line in lines], lines, strict=True))
    for one, other in combinations(pairs.values(), 2):
        ends = {*one.title.split(": ")[1].split(" and ")}
        if ends & {*other.title.split(": ")[1].split(" and ")}:
            crossing = [overlap(a, b) for a in stretches(one) for b in stretches(other)]
            assert not any(crossing), (one.title, other.title)


def test_every_site_reaches_every_vpc_from_its_gateway(picture: Topology) -> None:
    drawing = layout(picture)
    planned = [line for line in drawing.lines if line.kind == "planned"]
    vpcs = [vpc_of(box) for box in drawing.boxes if box.kind == "region"]
    for box in (box for box in drawing.boxes if box.kind == "site" and vpcs):
        gateway = gateway_of(box)
        dots = {dot for line in planned for dot in line.dots}
        assert (gateway.middle, gateway.y) in dots
    below = [dot for line in planned for dot in line.dots for vpc in vpcs if dot[1] == vpc.bottom]
    assert len({*below}) == len(picture.site_links)


def test_a_text_that_is_too_long_ends_in_an_ellipsis() -> None:
    assert fit("short", "note", 100) == "short"
    cut = fit("a text that goes on and on", "note", 60)
    assert cut.endswith("…")
    assert text_width(cut, "note") <= 60
    assert fit("anything", "note", 1) == ""
