"""Whether what the catalogue names still exists: somebody may have removed it, or reset a lab."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrate.aws import images
from orchestrate.aws.session import Session
from orchestrate.errors import OrchestrateError
from orchestrate.images import catalogue_file
from orchestrate.images.catalogue import Build, Catalogue, current, recorded, without


@dataclass(frozen=True)
class Absent:
    """An AMI that the catalogue names and AWS doesn't have, or doesn't have whole."""

    image: str
    build: str
    region: str
    ami: str


@dataclass(frozen=True)
class Present:
    """A catalogue whose current builds all exist; `forgotten` is what a lab had to forget."""

    catalogue: Catalogue
    forgotten: tuple[Absent, ...] = ()


def usable(session: Session, path: Path) -> Present:
    """The catalogue in `path`, checked against AWS, for rendering launch templates from it.

    In a lab what is gone is forgotten, as a lab may be reset at any time. Raises OrchestrateError
    on AWS when the current build of an image is gone from a region, and as `catalogue_file.read`.
    """
    catalogue = catalogue_file.read(path)
    gone = absent(session, catalogue)
    if not gone:
        return Present(catalogue)
    if session.target.name == "lab":
        return Present(catalogue_file.update(path, lambda now: forget(now, gone)), gone)
    refuse(catalogue, gone, path)
    return Present(catalogue)


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


def refuse(catalogue: Catalogue, gone: Sequence[Absent], path: Path) -> None:
    """Raise OrchestrateError if current builds are among what is gone, naming all of them. Pure."""
    now = {image: current(catalogue, image) for image in catalogue.images}
    lost = [one for one in gone if (build := now[one.image]) and build.id == one.build]
    if not lost:
        return
    lines = "".join(f"\n    {one.build} in {one.region}: {one.ami}" for one in lost)
    names = " ".join(sorted({one.image for one in lost}))
    raise OrchestrateError(
        f"images that hosts are launched from are gone{lines}",
        where=str(path),
        fix=f"go back with `orchestrate images rollback {names}`, or bake anew with "
        f"`orchestrate bake --force {names}`",
    )


def _less(catalogue: Catalogue, image: str, build: Build, region: str) -> Catalogue:
    left = {name: ami for name, ami in build.regions.items() if name != region}
    if not left:
        return without(catalogue, image, [build.id])
    return recorded(catalogue, image, replace(build, regions=left))
