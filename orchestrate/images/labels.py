"""What a build is called, and the tags by which people and programs know it. Pure."""

from collections.abc import Mapping
from datetime import datetime

from orchestrate.fleet import names
from orchestrate.fleet.models import Fleet
from orchestrate.images.catalogue import Build

# Everything that a run of `orchestrate bake` makes on the way, with the run's id.
BAKE = "orchestrate:bake"
# The build that something belongs to: its instances, its AMIs and their snapshots.
BUILD = "orchestrate:build"
IMAGE = "orchestrate:image"
# What an image was made with besides parent and cookbooks. Only one that passed all its tests has
# this tag, and may be taken up by a bake that would make the same (ADR 12).
RECIPE = "orchestrate:recipe"
UNKNOWN, DIRTY = "unknown", "-dirty"


def build_id(image: str, now: datetime, tail: str) -> str:
    """`base-20261130-0123-1a2b3c`; sorts by time. `tail` is six hex digits."""
    return f"{image}-{now:%Y%m%d-%H%M}-{tail}"


def on_the_way(fleet: Fleet, run: str, build: str = "") -> dict[str, str]:
    """Tags of what must not outlive a bake; instances have their `build` besides.

    None of the tags `cluster` and `role`, which would make it a host of the inventory.
    """
    own = {BAKE: run, **({BUILD: build} if build else {})}
    return {**_shared(fleet), "Name": names.bake(fleet, run), **own}


def of_image(fleet: Fleet, image: str, build: Build) -> dict[str, str]:
    """Tags of an AMI and its snapshots."""
    return {
        **_shared(fleet),
        "Name": names.image(fleet, build.id),
        BUILD: build.id,
        IMAGE: image,
        "orchestrate:role": build.role,
        "orchestrate:parent": build.parent,
        "orchestrate:commit": build.commit + (DIRTY if build.dirty else "") or UNKNOWN,
        "orchestrate:cookbooks": build.cookbooks,
        "orchestrate:built": build.built.isoformat(),
    }


def description(image: str, build: Build) -> str:
    """An AMI's description: at most 255 characters, of those AWS takes."""
    return f"{image} of {build.parent}, cookbooks {build.cookbooks[:12]}"[:255]


def _shared(fleet: Fleet) -> Mapping[str, str]:
    return {**fleet.file.tags, "fleet": fleet.file.name, "managed-by": "orchestrate"}
