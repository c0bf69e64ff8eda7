"""Removes builds that nobody needs, in all regions (S15)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from orchestrate.aws import image_uses, images
from orchestrate.aws.images import Ami
from orchestrate.baking.kitchen import Kitchen
from orchestrate.errors import OrchestrateError
from orchestrate.fleet import names
from orchestrate.images import catalogue, catalogue_file, prune
from orchestrate.images.catalogue import Build
from orchestrate.images.prune import Verdict

Uses = Mapping[str, tuple[str, ...]]


def uses(kitchen: Kitchen) -> Uses:
    """Who uses which AMI now, in words, by AMI id; asks all regions at once. Raises AwsError."""
    found: dict[str, tuple[str, ...]] = {}
    for use in image_uses.describe(kitchen.session, sorted(kitchen.regions)):
        found[use.ami] = (*found.get(use.ami, ()), f"{use.by} in {use.region}")
    return found


def verdicts(kitchen: Kitchen, *, keep: int, newer_than: datetime | None) -> list[Verdict]:
    """What may go now, and why the rest stays."""
    return prune.decide(kitchen.read(), uses(kitchen), keep=keep, newer_than=newer_than)


def remove(kitchen: Kitchen, going: Sequence[Verdict], tell: Callable[[Verdict], None]) -> None:
    """Remove builds: their AMIs and snapshots in every region, then their lines in the catalogue.

    In this order, so that what is interrupted is still known, and done by the next time. Raises
    OrchestrateError for one that came to be used meanwhile.
    """
    used = uses(kitchen)
    for verdict in going:
        _refuse_used(verdict, used)
    for verdict in going:
        tell(verdict)
        for ami in _amis(kitchen, verdict.build):
            images.remove(kitchen.session, ami)
        _forget(kitchen, verdict)


def _amis(kitchen: Kitchen, build: Build) -> list[Ami]:
    """Those that the catalogue knows, and copies of that name that it doesn't."""
    name = names.image(kitchen.fleet, build.id)
    regions = sorted(kitchen.regions | build.regions.keys())
    known = images.existing(kitchen.session, build.regions.items())
    called = [ami for region in regions for ami in images.named(kitchen.session, region, [name])]
    return list({(ami.region, ami.id): ami for ami in (*known, *called)}.values())


def _forget(kitchen: Kitchen, verdict: Verdict) -> None:
    catalogue_file.update(
        kitchen.catalogue,
        lambda now: catalogue.without(now, verdict.image, [verdict.build.id]),
    )


def _refuse_used(verdict: Verdict, used: Uses) -> None:
    by = [one for ami in verdict.build.regions.values() for one in used.get(ami, ())]
    if by:
        raise OrchestrateError(
            f"{verdict.build.id} came into use meanwhile, by {by[0]}", fix="prune once more"
        )
