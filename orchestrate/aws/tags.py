"""Tags in the form that EC2's calls take, for things that must have them from the beginning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_ec2.literals import ResourceTypeType


def specifications(tags: Mapping[str, str], *kinds: ResourceTypeType) -> list[Any]:
    """`TagSpecifications` that give each kind of resource all the tags."""
    pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
    return [{"ResourceType": kind, "Tags": pairs} for kind in kinds]
