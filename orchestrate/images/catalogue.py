"""What the catalogue says: the builds of each image, and which one hosts are launched from. Pure.

A build is recorded once its tests have passed, with the regions that have it; it is `current` only
when somebody promoted it, which a bake does when every region that uses the image has it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from orchestrate.errors import OrchestrateError


@dataclass(frozen=True)
class Build:
    """One baked AMI, copied to `regions` (AMI ids by region).

    `parent` is the id of a build, or the AMI id of the vendor's image in the region it was built
    in. `commit` is git's, "" outside of a repository, `dirty` if files had changed since.
    `cookbooks` is the digest of what it was converged with, `built` is in UTC.
    """

    id: str
    role: str
    parent: str
    commit: str
    dirty: bool
    cookbooks: str
    built: datetime
    architecture: str
    root_device: str
    regions: Mapping[str, str]


@dataclass(frozen=True)
class Shelf:
    """All builds of one image by id, which sorts by time.

    `current` is the id of the one that hosts are launched from, `previous` of the one before; ""
    where there is none.
    """

    builds: Mapping[str, Build] = field(default_factory=dict)
    current: str = ""
    previous: str = ""

    @property
    def latest(self) -> Build | None:
        """The build made last, promoted or not."""
        return self.builds[max(self.builds)] if self.builds else None


@dataclass(frozen=True)
class Catalogue:
    """Shelves by the fleet's names of images."""

    images: Mapping[str, Shelf] = field(default_factory=dict)

    def shelf(self, image: str) -> Shelf:
        return self.images.get(image, Shelf())

    def builds(self) -> Iterator[tuple[str, Build]]:
        """Every build with the name of its image."""
        for image, shelf in self.images.items():
            for build in shelf.builds.values():
                yield image, build


def current(catalogue: Catalogue, image: str) -> Build | None:
    """The build that hosts of an image are launched from; None if it was never baked."""
    shelf = catalogue.shelf(image)
    return shelf.builds[shelf.current] if shelf.current else None


def recorded(catalogue: Catalogue, image: str, build: Build) -> Catalogue:
    """The catalogue with a new build, or with what is now known of a build."""
    shelf = catalogue.shelf(image)
    builds = {**shelf.builds, build.id: build}
    return _with(catalogue, image, replace(shelf, builds=dict(sorted(builds.items()))))


def promoted(catalogue: Catalogue, image: str, build: str, regions: Iterable[str]) -> Catalogue:
    """The catalogue with `build` as the current one of its image.

    `regions` are those that use the image: raises OrchestrateError where one of them lacks the
    build, or there is no such build.
    """
    shelf = catalogue.shelf(image)
    if build not in shelf.builds:
        there = ", ".join(shelf.builds) or "none"
        raise OrchestrateError(f"no build '{build}' of {image}", fix=f"there are: {there}")
    if lacking := sorted(set(regions) - shelf.builds[build].regions.keys()):
        raise OrchestrateError(
            f"{build} is missing in {', '.join(lacking)}",
            where=image,
            fix=f"copy it there with `orchestrate bake {image}`, then promote it",
        )
    if build == shelf.current:
        return catalogue
    return _with(catalogue, image, replace(shelf, current=build, previous=shelf.current))


def without(catalogue: Catalogue, image: str, builds: Iterable[str]) -> Catalogue:
    """The catalogue without some builds of an image; what was current or previous may be gone."""
    shelf, gone = catalogue.shelf(image), set(builds)
    kept = {id_: build for id_, build in shelf.builds.items() if id_ not in gone}
    left = Shelf(
        kept,
        "" if shelf.current in gone else shelf.current,
        "" if shelf.previous in gone else shelf.previous,
    )
    return _with(catalogue, image, left)


def find(catalogue: Catalogue, build: str) -> str:
    """The name of the image that a build id belongs to; "" if it is none's."""
    return next((image for image, one in catalogue.builds() if one.id == build), "")


def _with(catalogue: Catalogue, image: str, shelf: Shelf) -> Catalogue:
    images = {**catalogue.images, image: shelf}
    return Catalogue({name: images[name] for name in sorted(images) if images[name].builds})
