"""Images that are gone stop what would launch hosts from them, and nothing else. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from orchestrate.changes import Action, Change
from orchestrate.errors import OrchestrateError
from orchestrate.images.presence import Absent

# What a host is launched by. Hosts that run need their image no more.
LAUNCHING = frozenset({"aws_instance", "aws_launch_template", "aws_autoscaling_group"})

Lost = Mapping[str, Sequence[Absent]]


class ImagesGone(OrchestrateError):
    """A plan launches hosts from images that AWS doesn't have any more."""


def refuse_launches(changes: Iterable[Change], lost: Lost) -> None:
    """Raise ImagesGone where a plan makes or changes what launches hosts from a lost image.

    `lost` are the images that are gone, by the stack whose new hosts would start from them.
    """
    stacks = {
        change.stack
        for change in changes
        if change.resource_type in LAUNCHING and change.action is not Action.DESTROY
    }
    gone = sorted({one for stack in stacks for one in lost.get(stack, ())})
    if gone:
        raise ImagesGone(
            f"images that hosts are launched from are gone{named(gone)}", fix=way(gone)
        )


def named(gone: Iterable[Absent]) -> str:
    """A line for each."""
    return "".join(f"\n    {one.build} in {one.region}: {one.ami}" for one in gone)


def way(gone: Iterable[Absent]) -> str:
    """What to do about them."""
    names = " ".join(sorted({one.image for one in gone}))
    return (
        f"go back with `orchestrate images rollback {names}`, or bake anew with "
        f"`orchestrate bake --force {names}`"
    )
