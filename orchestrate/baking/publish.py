"""Brings a build to every region that uses its image, and then makes it the current one (S14)."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from orchestrate.aws import images
from orchestrate.aws.images import Ami
from orchestrate.baking.place import BakePlace
from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.images import catalogue, catalogue_file, copies, labels
from orchestrate.images.catalogue import Build, Catalogue
from orchestrate.images.needs import Finish
from orchestrate.shell import Stop

AT_ONCE = 16

Tell = Callable[[str], None]


def publish(place: BakePlace, image: str, finish: Finish, tell: Tell, stop: Stop) -> Build:
    """The build, in all regions that it lacked, and promoted unless it is held back.

    Each region is recorded when it has the build, so the next bake copies only to the others.
    Raises OrchestrateError that names every region that failed, Interrupted.
    """
    build = finish.build
    if finish.regions:
        source = _source(place, build)
        tell(f"Copying to {', '.join(finish.regions)}")
        build = _copy_to_all(place, image, build, source, finish.regions, tell, stop)
    if not finish.held_back:
        if stop.requested:
            raise Interrupted(f"interrupted; the next bake promotes {build.id}", where=image)
        regions = place.regions_of(image)
        _change(place, lambda now: catalogue.promoted(now, image, build.id, regions))
    return build


def record(place: BakePlace, image: str, build: Build) -> None:
    """Write a build down, with the regions it is in."""
    _change(place, lambda now: catalogue.recorded(now, image, build))


def _copy_to_all(
    place: BakePlace,
    image: str,
    build: Build,
    source: Ami,
    regions: Iterable[str],
    tell: Tell,
    stop: Stop,
) -> Build:
    def copy(region: str) -> OrchestrateError | None:
        try:
            made = copies.copy(
                place.session,
                source,
                region,
                description=labels.description(image, build),
                tags=labels.of_image(place.fleet, image, build),
                stop=stop,
            )
        except OrchestrateError as error:
            return error
        _change(place, lambda now: _known_in(now, image, build, region, made.id))
        tell(f"{region} has it")
        return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        errors = dict(zip(regions, pool.map(copy, regions), strict=True))
    _refuse_failed({region: error for region, error in errors.items() if error}, image)
    return place.read().shelf(image).builds[build.id]


def _known_in(now: Catalogue, image: str, build: Build, region: str, ami: str) -> Catalogue:
    """Beside what other threads have written down meanwhile."""
    known = now.shelf(image).builds.get(build.id, build)
    return catalogue.recorded(now, image, replace(known, regions={**known.regions, region: ami}))


def _refuse_failed(errors: dict[str, OrchestrateError], image: str) -> None:
    stopped = next((one for one in errors.values() if isinstance(one, Interrupted)), None)
    if stopped:
        raise stopped
    if errors:
        lines = "".join(f"\n    {region}: {error.what}" for region, error in errors.items())
        raise OrchestrateError(
            f"not copied to every region, and therefore not promoted{lines}",
            where=image,
            fix=f"`orchestrate bake {image}` copies to the rest; nothing is built again",
        )


def _source(place: BakePlace, build: Build) -> Ami:
    """An AMI of the build to copy from, the one in the build region if it is there."""
    there = images.existing(place.session, build.regions.items())
    whole = [ami for ami in there if ami.state == "available"]
    if not whole:
        raise OrchestrateError(
            f"{build.id} has no AMI left to copy", fix="bake it anew with --force"
        )
    return min(whole, key=lambda ami: (ami.region != place.region, ami.region))


def _change(place: BakePlace, change: Callable[[Catalogue], Catalogue]) -> None:
    catalogue_file.update(place.catalogue, change)
