"""A fleet of many clusters: linked by one line, in a size that grows with the clusters."""

from ipaddress import IPv4Network

import pytest

from orchestrate.fleet.models import Fleet
from orchestrate.graph.cluster_column import vpc_of
from orchestrate.graph.layout import layout
from orchestrate.graph.outline import Item, outline
from orchestrate.graph.topology import FEW, Topology, topology
from tests.unit.graph.conftest import cluster, drawn, fleet_of, site


def mesh_of(count: int) -> Topology:
    """So many clusters and two sites; ranges are of no matter here."""
    one = fleet_of([cluster("cluster-a", "us-west-2")], [site("site-a"), site("site-b", 65)])
    shape = one.clusters["cluster-a"]
    names = [f"cluster-{number:04}" for number in range(count)]
    many = {name: shape.model_copy(update={"name": name}) for name in names}
    given: dict[str, IPv4Network] = {}
    return topology(Fleet(file=one.file, clusters=many, sites=one.sites), given)


def lines(item: Item) -> int:
    return 1 + sum(map(lines, item.below))


def below(shown: Topology, name: str) -> list[str]:
    (found,) = [item for item in outline(shown).below if item.name == name]
    return [item.name for item in found.below]


def test_few_clusters_are_linked_pair_by_pair() -> None:
    shown = mesh_of(FEW)
    assert len(below(shown, "peering")) == shown.peerings == FEW * (FEW - 1) / 2
    assert len(below(shown, "site VPN")) == 2 * FEW


def test_many_clusters_are_linked_by_one_line_of_text() -> None:
    shown = mesh_of(1000)
    assert shown.peerings == 499_500
    assert below(shown, "peering") == ["each of the 1,000 clusters ↔ each other"]
    assert below(shown, "site VPN") == [
        "site-a ⇢ each of the 1,000 clusters",
        "site-b ⇢ each of the 1,000 clusters",
    ]


def test_the_outline_and_the_picture_grow_with_the_clusters_not_with_their_pairs() -> None:
    twenty, thirty, forty = map(mesh_of, (20, 30, 40))
    text = [lines(outline(shown)) for shown in (twenty, thirty, forty)]
    drawn_lines = [len(layout(shown).lines) for shown in (twenty, thirty, forty)]
    assert text[2] - text[1] == text[1] - text[0]
    assert drawn_lines[2] - drawn_lines[1] == drawn_lines[1] - drawn_lines[0] == 30


@pytest.mark.parametrize("count", [FEW + 1, 40])
def test_the_one_line_of_the_picture_ends_at_every_vpc(count: int) -> None:
    drawing = layout(mesh_of(count))
    vpcs = [vpc_of(box) for box in drawing.boxes if box.kind == "region"]
    dots = [dot for line in drawing.lines if line.kind == "peering" for dot in line.dots]
    assert len(dots) == len(vpcs) == count
    for vpc, (x, y) in zip(vpcs, sorted(dots), strict=True):
        assert vpc.x < x < vpc.right
        assert y == vpc.y


def test_one_cluster_alone_is_linked_to_none() -> None:
    shown = drawn(fleet_of([cluster("cluster-a", "us-west-2")], []))
    assert (shown.mesh, shown.peerings) == ((), 0)
