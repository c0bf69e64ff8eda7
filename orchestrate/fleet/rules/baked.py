"""Baked images go back to a vendor's, without a circle, and share no name with one."""

from collections.abc import Iterator

from orchestrate.findings import Finding
from orchestrate.fleet import lineage
from orchestrate.fleet.models import FleetFile, SourceImage
from orchestrate.fleet.places import Places
from orchestrate.fleet.wording import nearest


def check(file: FleetFile, places: Places) -> Iterator[Finding]:
    """What is wrong with the `baked` of `fleet.yaml`."""
    for name, image in file.baked.items():
        if name in file.images:
            what = f"'{name}' is also a vendor's image ({places.in_fleet('images', name)})"
            yield Finding(places.in_fleet("baked", name), what, "rename one of them")
            continue
        at = places.in_fleet("baked", name, "parent")
        if image.parent not in {**file.images, **file.baked}:
            what = f"the parent of '{name}', '{image.parent}', is no image"
            yield Finding(at, what, nearest(image.parent, {**file.images, **file.baked}))
        elif _in_circle(file, name):
            fix = "let the line of parents end at a vendor's image"
            yield Finding(at, f"'{name}' is its own ancestor", fix)


def source(file: FleetFile, image: str) -> SourceImage | None:
    """The vendor's image behind an image; None where the fleet has it wrong and `check` says so."""
    try:
        return lineage.source(file, image)
    except KeyError:
        return None


def _in_circle(file: FleetFile, name: str) -> bool:
    image = name
    for _ in file.baked:
        found = file.baked.get(image)
        if found is None:
            return False
        image = found.parent
        if image == name:
            return True
    return False
