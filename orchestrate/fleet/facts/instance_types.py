"""The EC2 instance types and what one host of each has."""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from orchestrate.fleet.models import InstanceType


@cache
def _rows() -> Mapping[str, Mapping[str, str]]:
    with files(__package__).joinpath("instance_types.csv").open(encoding="utf-8") as lines:
        return {row["type"]: row for row in csv.DictReader(lines)}


def names() -> tuple[str, ...]:
    """Every instance type known here."""
    return tuple(_rows())


@cache
def find(name: str) -> InstanceType | None:
    """What AWS says of the type; None where there is no such type."""
    row = _rows().get(name)
    if row is None:
        return None
    return InstanceType.model_validate(
        {
            "cpus": int(row["cpus"]),
            "memory_mib": int(row["memory_mib"]),
            "gpus": int(row["gpus"]),
            "card": row["card"],
            "architecture": row["architecture"],
            "regions": row["regions"].split(),
        }
    )
