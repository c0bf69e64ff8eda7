"""Builds that AWS has and the catalogue lacks, to be taken up instead of baked anew (ADR 12).

Another checkout baked them, a catalogue was lost, or a lab kept them of an earlier lab.
"""

from collections.abc import Iterable
from datetime import datetime

from orchestrate.aws import images
from orchestrate.aws.images import Ami
from orchestrate.aws.session import Session
from orchestrate.fleet.models import Fleet
from orchestrate.images import grammar, labels
from orchestrate.images.catalogue import Build, Catalogue, find
from orchestrate.images.needs import Earlier


def unknown(
    session: Session, region: str, fleet: Fleet, wanted: Iterable[str], catalogue: Catalogue
) -> dict[str, list[Earlier]]:
    """Tested builds of the `wanted` images in a region that the catalogue lacks, by image.

    Raises AwsError.
    """
    found: dict[str, list[Earlier]] = {image: [] for image in wanted}
    for ami in images.tagged(session, region, {labels.IMAGE: [*found], "fleet": [fleet.file.name]}):
        build = build_of(ami)
        image = ami.tags[labels.IMAGE]
        # Whoever may tag AMIs may write anything: what is no build of ours is none.
        if build and not find(catalogue, build.id) and grammar.holds(image, build):
            found[image].append(Earlier(build, ami.tags[labels.RECIPE]))
    return found


def build_of(ami: Ami) -> Build | None:
    """The build that an AMI is, by its tags; None where it isn't one that passed its tests."""
    try:
        _ = ami.tags[labels.RECIPE]
        commit = ami.tags["orchestrate:commit"]
        return Build(
            id=ami.tags[labels.BUILD],
            role=ami.tags["orchestrate:role"],
            parent=ami.tags["orchestrate:parent"],
            commit=commit.removesuffix(labels.DIRTY).replace(labels.UNKNOWN, ""),
            dirty=commit.endswith(labels.DIRTY),
            cookbooks=ami.tags["orchestrate:cookbooks"],
            built=datetime.fromisoformat(ami.tags["orchestrate:built"]),
            architecture=ami.architecture,
            root_device=ami.root_device,
            regions={ami.region: ami.id},
        )
    except (KeyError, ValueError):
        return None
