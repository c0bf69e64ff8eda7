"""Which images must be baked, and why; which were baked before, or need only a copy in another
region. Pure.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from orchestrate.images.catalogue import Build, Catalogue, Shelf


@dataclass(frozen=True)
class Wanted:
    """What an image would be baked from now.

    `parent` is the name of its parent, or, of a vendor's, the AMI id in the build region.
    `cookbooks` is the digest of what it would be converged with, `regions` where it is to be,
    `recipe` the digest of all else that shapes it: Packer's template and scripts, the node JSON.
    """

    parent: str
    baked_parent: bool
    cookbooks: str
    regions: frozenset[str]
    recipe: str = ""


@dataclass(frozen=True)
class Earlier:
    """A tested build that AWS has and the catalogue lacks; `recipe` as in `Wanted`."""

    build: Build
    recipe: str


@dataclass(frozen=True)
class Bake:
    """A new build is needed, for the reason `why`."""

    why: str


@dataclass(frozen=True)
class Reuse:
    """A build is needed for the reason `why`, and AWS has one made of the very same: test it
    once more, and publish it.
    """

    build: Build
    why: str


@dataclass(frozen=True)
class Finish:
    """A build is good but lacks regions, or was never promoted: copy it, and promote it if it
    isn't `held_back` by a rollback.
    """

    build: Build
    regions: tuple[str, ...]
    held_back: bool = False


@dataclass(frozen=True)
class Nothing:
    """The build in use is what would be baked now. `why` says so."""

    build: Build
    why: str


Step = Bake | Reuse | Finish | Nothing


def decide(
    catalogue: Catalogue,
    wanted: Mapping[str, Wanted],
    forced: Collection[str] = (),
    earlier: Mapping[str, Sequence[Earlier]] | None = None,
) -> dict[str, Step]:
    """A step for each image of `wanted`, which has parents before their children.

    `forced` are baked in any case, and so is what is made from them. `earlier` are builds by image
    that the catalogue lacks.
    """
    steps: dict[str, Step] = {}
    for image, want in wanted.items():
        step = _step(catalogue, image, want, steps, forced)
        if isinstance(step, Bake) and image not in forced:
            same = _same(catalogue, want, steps, (earlier or {}).get(image, ()))
            step = Reuse(same, step.why) if same else step
        steps[image] = step
    return steps


def in_use(shelf: Shelf) -> Build | None:
    """The build others are made from and copied: the latest, or the current after a rollback."""
    return shelf.builds[shelf.current] if _rolled_back(shelf) else shelf.latest


def _step(
    catalogue: Catalogue,
    image: str,
    want: Wanted,
    steps: Mapping[str, Step],
    forced: Collection[str],
) -> Step:
    shelf = catalogue.shelf(image)
    if image in forced:
        return Bake("asked for")
    if why := _stale(catalogue, shelf.latest, want, steps):
        return Bake(why)
    build = in_use(shelf)
    assert build is not None, "an image without any build is stale"
    lacking = tuple(sorted(want.regions - build.regions.keys()))
    held_back = _rolled_back(shelf)
    if lacking or (shelf.current != build.id and not held_back):
        return Finish(build, lacking, held_back)
    return Nothing(build, _nothing(shelf))


def _stale(
    catalogue: Catalogue, latest: Build | None, want: Wanted, steps: Mapping[str, Step]
) -> str:
    """Why the latest build is not what would be baked now; "" if it is."""
    if latest is None:
        return "never baked"
    if latest.cookbooks != want.cookbooks:
        return "its cookbooks changed"
    if not want.baked_parent:
        return "" if latest.parent == want.parent else f"the vendor has a newer {want.parent}"
    if isinstance(steps[want.parent], Bake):
        return f"{want.parent} is baked anew"
    parent = _parent(catalogue, want, steps)
    return "" if latest.parent == parent else f"{want.parent} was baked anew"


def _parent(catalogue: Catalogue, want: Wanted, steps: Mapping[str, Step]) -> str:
    """The id of what an image would be made from; "" where that is yet to be baked."""
    if not want.baked_parent:
        return want.parent
    step = steps[want.parent]
    build = step.build if isinstance(step, Reuse) else in_use(catalogue.shelf(want.parent))
    return build.id if build and not isinstance(step, Bake) else ""


def _same(
    catalogue: Catalogue, want: Wanted, steps: Mapping[str, Step], earlier: Sequence[Earlier]
) -> Build | None:
    """The newest of the earlier builds that were made of what would be baked now."""
    made_of = (_parent(catalogue, want, steps), want.cookbooks, want.recipe)
    same = [
        one.build
        for one in earlier
        if (one.build.parent, one.build.cookbooks, one.recipe) == made_of
    ]
    return max(same, key=lambda build: build.id, default=None)


def _rolled_back(shelf: Shelf) -> bool:
    """Whether somebody has gone back from the latest build to an earlier one."""
    latest = shelf.latest
    return bool(latest and shelf.current and shelf.previous == latest.id)


def _nothing(shelf: Shelf) -> str:
    if _rolled_back(shelf):
        return f"nothing changed since {shelf.previous}, which was rolled back"
    return "neither its parent nor its cookbooks changed"
