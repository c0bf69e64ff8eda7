"""A picture of a fleet whose names nobody checked is a picture still."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from ipaddress import IPv4Network
from typing import Any
from xml.etree import ElementTree

import pytest

from orchestrate.fleet.models import Fleet
from orchestrate.graph.svg import svg
from orchestrate.graph.topology import ClusterView, SiteView, Topology, topology
from tests.hostile import HOSTILE


def said_everywhere(data: Any, text: str) -> Any:
    """The data with the text in place of all that is written; links find their ends by name."""
    if isinstance(data, tuple | list):
        return type(data)(said_everywhere(one, text) for one in data)
    if not is_dataclass(data) or isinstance(data, type):
        return data
    changes = {
        field.name: text
        if isinstance(getattr(data, field.name), str)
        and not (field.name == "name" and isinstance(data, ClusterView | SiteView))
        else said_everywhere(getattr(data, field.name), text)
        for field in fields(data)
    }
    return replace(data, **changes)


@pytest.fixture
def plain(fleet: Fleet, ledger: Mapping[str, IPv4Network]) -> Topology:
    return topology(fleet, ledger)


def tags(text: str) -> list[str]:
    return [one.tag for one in ElementTree.fromstring(text).iter()]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_name_is_text_in_a_picture(plain: Topology, text: str) -> None:
    # No field takes more than 200 letters.
    drawn = svg(said_everywhere(plain, text[:200]))
    assert not any(one.endswith("script") for one in tags(drawn))
    assert "onload" not in " ".join(
        key for one in ElementTree.fromstring(drawn).iter() for key in one.attrib
    )
