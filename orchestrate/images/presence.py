"""Whether what the catalogue names still exists: somebody may have removed it, or reset a lab."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrate.aws import images
from orchestrate.aws.session import Session
from orchestrate.images import catalogue_file
from orchestrate.images.catalogue import Build, Catalogue, current, recorded, without


@dataclass(frozen=True, order=True)
class Absent:
    """An AMI that the catalogue names and AWS doesn't have, or doesn't have whole."""

    image: str
    build: str
    region: str
    ami: str


@dataclass(frozen=True)
class Present:
    """A catalogue; `forgotten` is what a lab had to forget, `lost` what new hosts would start from
    and AWS doesn't have.
    """

    catalogue: Catalogue
    forgotten: tuple[Absent, ...] = ()
    lost: tuple[Absent, ...] = ()


def usable(session: Session, path: Path) -> Present:
    """The catalogue in `path`, checked against AWS, for rendering launch templates from it.

    In a lab what is gone is forgotten, as a lab may be reset at any time. On AWS it is told: only
    who launches hosts needs it. Raises as `catalogue_file.read`.
    """
    catalogue = catalogue_file.read(path)
    gone = absent(session, catalogue)
    if not gone:
        return Present(catalogue)
    if session.target.name == "lab":
        return Present(catalogue_file.update(path, lambda now: forget(now, gone)), gone)
    return Present(catalogue, lost=in_use(catalogue, gone))


def absent(session: Session, catalogue: Catalogue) -> tuple[Absent, ...]:
    """What the catalogue names and AWS lacks; asks each region once. Raises AwsError."""
    named = [
        Absent(image, build.id, region, ami)
        for image, build in catalogue.builds()
        for region, ami in build.regions.items()
    ]
    there = images.existing(session, [(one.region, one.ami) for one in named])
    whole = {(ami.region, ami.id) for ami in there if ami.state == "available"}
    return tuple(one for one in named if (one.region, one.ami) not in whole)


def forget(catalogue: Catalogue, gone: Iterable[Absent]) -> Catalogue:
    """The catalogue without these AMIs, and without builds that are nowhere then. Pure."""
    for one in gone:
        build = catalogue.shelf(one.image).builds.get(one.build)
        if build and build.regions.get(one.region) == one.ami:
            catalogue = _less(catalogue, one.image, build, one.region)
    return catalogue


def in_use(catalogue: Catalogue, gone: Iterable[Absent]) -> tuple[Absent, ...]:
    """Those among what is gone that new hosts start from: of current builds. Pure."""
    now = {image: current(catalogue, image) for image in catalogue.images}
    return tuple(one for one in gone if (build := now[one.image]) and build.id == one.build)


def _less(catalogue: Catalogue, image: str, build: Build, region: str) -> Catalogue:
    left = {name: ami for name, ami in build.regions.items() if name != region}
    if not left:
        return without(catalogue, image, [build.id])
    return recorded(catalogue, image, replace(build, regions=left))
