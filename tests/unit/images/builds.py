"""Builds for tests, by their id; what a test doesn't care about is given."""

from collections.abc import Mapping
from datetime import UTC, datetime

from orchestrate.images.catalogue import Build


def build(
    id_: str,
    *,
    parent: str = "ami-0parent0",
    cookbooks: str = "c" * 64,
    regions: Mapping[str, str] | None = None,
) -> Build:
    """`base-20261101-0000-aaaaaa` was built on that day, in us-west-2 unless `regions` say so."""
    image, day, time, _ = id_.rsplit("-", 3)
    return Build(
        id=id_,
        role=image,
        parent=parent,
        commit="abc1234",
        dirty=False,
        cookbooks=cookbooks,
        built=datetime.strptime(day + time, "%Y%m%d%H%M").replace(tzinfo=UTC),
        architecture="x86_64",
        root_device="/dev/xvda",
        regions={"us-west-2": "ami-0a"} if regions is None else regions,
    )
