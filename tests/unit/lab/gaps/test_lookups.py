"""What is asked for by its id is not looked for among everything else."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from moto.ec2.exceptions import InvalidInstanceIdError, InvalidNetworkInterfaceIdError
from moto.ec2.models.elastic_block_store import EBSBackend
from moto.ec2.models.tags import TagBackend

from orchestrate.lab.gaps import lookups


class NotToBeReadWhole(dict[str, Any]):
    """A dictionary that answers for one key at a time."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("read as a whole")

    def items(self) -> Any:
        raise AssertionError("read as a whole")

    values = copy = items


def a_backend(**tables: dict[str, Any]) -> SimpleNamespace:
    own = {name: NotToBeReadWhole(table) for name, table in tables.items()}
    return SimpleNamespace(VALID_TAG_FILTERS=TagBackend.VALID_TAG_FILTERS, **own)


TAGS = {"i-1": {"Name": "one", "team": "vision"}, "i-2": {"Name": "two"}, "i-3": {}}


def described(filters: dict[str, list[str]]) -> list[tuple[str, str]]:
    found = lookups.describe_tags(TagBackend.describe_tags, a_backend(tags=TAGS), filters)
    return [(one["resource_id"], one["value"]) for one in found]


def test_the_tags_of_named_resources_are_found_by_their_ids() -> None:
    assert described({"resource-id": ["i-2"]}) == [("i-2", "two")]
    assert described({"resource-id": ["i-1", "i-3", "i-9", "i-1"]}) == [
        ("i-1", "one"),
        ("i-1", "vision"),
    ]


def test_other_filters_narrow_down_what_was_found_by_id() -> None:
    assert described({"resource-id": ["i-1", "i-2"], "key": ["team"]}) == [("i-1", "vision")]


def test_a_pattern_is_held_against_every_id() -> None:
    backend = SimpleNamespace(tags=TAGS, VALID_TAG_FILTERS=TagBackend.VALID_TAG_FILTERS)
    found = lookups.describe_tags(
        TagBackend.describe_tags, backend, {"resource-id": ["i-*"], "key": ["Name"]}
    )
    assert [one["value"] for one in found] == ["one", "two"]


def test_a_resource_without_tags_needs_no_search() -> None:
    def search(_: object) -> list[dict[str, str]]:
        raise AssertionError("searched")

    resource = SimpleNamespace(id="i-9", ec2_backend=a_backend(tags=TAGS))
    assert lookups.get_tags(search, resource) == []


def test_named_volumes_are_found_by_their_ids() -> None:
    volumes = {f"vol-{number}": SimpleNamespace(id=f"vol-{number}") for number in range(3)}
    found = lookups.describe_volumes(
        EBSBackend.describe_volumes, a_backend(volumes=volumes), ["vol-2", "vol-0"]
    )
    assert [one.id for one in found] == ["vol-2", "vol-0"]


def test_an_interface_is_found_by_its_id_or_refused() -> None:
    backend = a_backend(enis={"eni-1": "it"})
    assert lookups.get_network_interface(print, backend, "eni-1") == "it"
    with pytest.raises(InvalidNetworkInterfaceIdError):
        lookups.get_network_interface(print, backend, "eni-2")


def test_an_instance_is_found_by_its_id_or_refused() -> None:
    reservations = {
        f"r-{number}": SimpleNamespace(instances=[SimpleNamespace(id=f"i-{number}")])
        for number in range(3)
    }
    backend = SimpleNamespace(reservations=reservations)
    assert lookups.get_instance(print, backend, "i-0").id == "i-0"
    assert lookups.get_instance_by_id(print, backend, "i-7") is None
    with pytest.raises(InvalidInstanceIdError):
        lookups.get_instance(print, backend, "i-7")
