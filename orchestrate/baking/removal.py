"""Removes builds that nobody needs, in all regions (S15)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from orchestrate.aws import image_uses, images
from orchestrate.aws.images import Ami
from orchestrate.baking.place import BakePlace
from orchestrate.errors import OrchestrateError
from orchestrate.fleet import names
from orchestrate.images import catalogue, catalogue_file, prune
from orchestrate.images.catalogue import Build
from orchestrate.images.prune import Verdict

Uses = Mapping[str, tuple[str, ...]]


def uses(place: BakePlace) -> Uses:
    """Who uses which AMI now, in words, by AMI id; asks all regions at once. Raises AwsError."""
    found: dict[str, tuple[str, ...]] = {}
    for use in image_uses.describe(place.session, sorted(place.regions)):
        found[use.ami] = (*found.get(use.ami, ()), f"{use.by} in {use.region}")
    return found


def verdicts(place: BakePlace, *, keep: int, newer_than: datetime | None) -> list[Verdict]:
    """What may go now, and why the rest stays."""
    return prune.decide(place.read(), uses(place), keep=keep, newer_than=newer_than)


def remove(place: BakePlace, going: Sequence[Verdict], tell: Callable[[Verdict], None]) -> None:
    """Remove builds: their AMIs and snapshots in every region, then their lines in the catalogue.

    In this order, so that what is interrupted is still known, and done by the next time. Raises
    OrchestrateError for one that came to be used meanwhile.
    """
    used = uses(place)
    for verdict in going:
        _refuse_used(verdict, used)
    for verdict in going:
        tell(verdict)
        for ami in _amis(place, verdict.build):
            images.remove(place.session, ami)
        _forget(place, verdict)


def _amis(place: BakePlace, build: Build) -> list[Ami]:
    """Those that the catalogue knows, and copies of that name that it doesn't."""
    name = names.image(place.fleet, build.id)
    regions = sorted(place.regions | build.regions.keys())
    known = images.existing(place.session, build.regions.items())
    called = [ami for region in regions for ami in images.named(place.session, region, [name])]
    return list({(ami.region, ami.id): ami for ami in (*known, *called)}.values())


def _forget(place: BakePlace, verdict: Verdict) -> None:
    catalogue_file.update(
        place.catalogue,
        lambda now: catalogue.without(now, verdict.image, [verdict.build.id]),
    )


def _refuse_used(verdict: Verdict, used: Uses) -> None:
    by = [one for ami in verdict.build.regions.values() for one in used.get(ami, ())]
    if by:
        raise OrchestrateError(
            f"{verdict.build.id} came into use meanwhile, by {by[0]}", fix="prune once more"
        )
