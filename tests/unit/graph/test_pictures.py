"""The files people get: the SVG and the outline, held against golden ones."""

from collections.abc import Callable, Mapping
from ipaddress import IPv4Network
from xml.etree import ElementTree

import pytest

from orchestrate.fleet.models import Fleet
from orchestrate.graph.outline import Item, outline
from orchestrate.graph.shapes import Line
from orchestrate.graph.svg import rounded, svg
from orchestrate.graph.topology import Topology, topology

NS = {"svg": "http://www.w3.org/2000/svg"}


@pytest.fixture
def shown(fleet: Fleet, ledger: Mapping[str, IPv4Network]) -> Topology:
    return topology(fleet, ledger)


def as_text(item: Item, indent: int = 0) -> str:
    line = "  " * indent + f"{item.name}  {item.detail}".rstrip() + "\n"
    return line + "".join(as_text(each, indent + 1) for each in item.below)


def test_the_picture_is_the_golden_one(shown: Topology, golden: Callable[[str, str], None]) -> None:
    golden("graph/deeplab.svg", svg(shown))


def test_the_outline_is_the_golden_one(shown: Topology, golden: Callable[[str, str], None]) -> None:
    golden("graph/deeplab.txt", as_text(outline(shown)))


def test_the_picture_is_well_formed_and_says_what_it_shows(picture: Topology) -> None:
    root = ElementTree.fromstring(svg(picture))
    title, description = root.find("svg:title", NS), root.find("svg:desc", NS)
    assert title is not None
    assert title.text == "Topology of deeplab"
    assert description is not None
    for cluster in picture.clusters:
        assert cluster.vpc in (description.text or "")
    assert root.get("aria-labelledby") == "title desc"


def test_markup_in_names_is_only_text(shown: Topology) -> None:
    texts = [
        text.text or "" for text in ElementTree.fromstring(svg(shown)).iter(f"{{{NS['svg']}}}text")
    ]
    assert any(text.startswith("Research computing & more") for text in texts)


def test_every_class_and_symbol_used_is_defined(picture: Topology) -> None:
    text = svg(picture)
    root = ElementTree.fromstring(text)
    style = root.find("svg:style", NS)
    assert style is not None
    classes = {name for node in root.iter() for name in node.get("class", "").split()}
    missing = {name for name in classes if f".{name}" not in (style.text or "")}
    # These take the colour of plain text, or of every icon.
    assert {name for name in missing if not name.startswith("i-")} == set()
    symbols = {node.get("id") for node in root.iter(f"{{{NS['svg']}}}symbol")}
    used = {node.get("href", "").removeprefix("#") for node in root.iter(f"{{{NS['svg']}}}use")}
    assert used <= symbols


def test_corners_are_rounded_as_far_as_there_is_room() -> None:
    assert rounded(Line(((0, 0), (0, 20)), "peering")) == "M0 0 L0 20"
    bent = Line(((0, 0), (0, 20), (30, 20)), "peering")
    assert rounded(bent) == "M0 0 L0 12 Q0 20 8 20 L30 20"
    tight = Line(((0, 0), (0, 4), (30, 4)), "peering")
    assert rounded(tight) == "M0 0 L0 2 Q0 4 2 4 L30 4"
