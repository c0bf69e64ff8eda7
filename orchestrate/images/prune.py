"""Which builds may go, and why the others stay (S15). Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from orchestrate.images.catalogue import Build, Catalogue, Shelf
from orchestrate.images.needs import in_use

KEEP = 3


@dataclass(frozen=True)
class Verdict:
    """What becomes of one build: it stays for what is in `kept_for`, or goes if that is empty."""

    image: str
    build: Build
    kept_for: tuple[str, ...]

    @property
    def goes(self) -> bool:
        return not self.kept_for

    def __str__(self) -> str:
        return f"{self.build.id} from {', '.join(self.build.regions) or 'nowhere'}"


def decide(
    catalogue: Catalogue,
    uses: Mapping[str, tuple[str, ...]],
    *,
    keep: int = KEEP,
    newer_than: datetime | None = None,
) -> list[Verdict]:
    """A verdict on every build, by image and age.

    `uses` are who uses an AMI, by AMI id. The newest `keep` of each image stay, and with
    `newer_than` all that were built since. What is in use, what a rollback would go back to, the
    last good build of an image and all that these were made from always stay.
    """
    reasons = {
        build.id: tuple(_reasons(catalogue.shelf(image), build, uses, keep, newer_than))
        for image, build in catalogue.builds()
    }
    ancestors = _ancestors(catalogue, [id_ for id_, why in reasons.items() if why])
    return [
        Verdict(image, build, reasons[build.id] or ancestors.get(build.id, ()))
        for image, build in catalogue.builds()
    ]


def _reasons(
    shelf: Shelf,
    build: Build,
    uses: Mapping[str, tuple[str, ...]],
    keep: int,
    newer_than: datetime | None,
) -> Iterator[str]:
    if build.id == shelf.current:
        yield "hosts are launched from it"
    if build.id == shelf.previous:
        yield "a rollback goes back to it"
    good = in_use(shelf)
    if good and build.id == good.id and build.id != shelf.current:
        yield "the last good one"
    for ami in build.regions.values():
        yield from uses.get(ami, ())
    if build.id in sorted(shelf.builds)[max(len(shelf.builds) - keep, 0) :]:
        yield f"one of the newest {keep}"
    if newer_than and build.built >= newer_than:
        yield f"built since {newer_than:%Y-%m-%d}"


def _ancestors(catalogue: Catalogue, kept: list[str]) -> dict[str, tuple[str, ...]]:
    """The builds that kept ones were made from, with the child that keeps each."""
    builds = {build.id: build for _, build in catalogue.builds()}
    found: dict[str, tuple[str, ...]] = {}
    while kept:
        child = kept.pop()
        parent = builds[child].parent
        if parent in builds and parent not in found:
            found[parent] = (f"{child} was made from it",)
            kept.append(parent)
    return found
