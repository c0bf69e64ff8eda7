"""Copies of an image in other regions. A copy that was given up halfway is taken up again (S14)."""

import time
from collections.abc import Iterator, Mapping

from orchestrate.aws import images
from orchestrate.aws.images import Ami
from orchestrate.aws.session import Session
from orchestrate.errors import AwsError, Interrupted
from orchestrate.shell import Stop

FIRST_PAUSE_S, LONGEST_PAUSE_S, GROWTH = 0.3, 15.0, 1.5
STOP_WITHIN_S = 0.3


def copy(
    session: Session,
    source: Ami,
    region: str,
    *,
    description: str,
    tags: Mapping[str, str],
    stop: Stop,
) -> Ami:
    """The copy of `source` in `region`, once it is available.

    A copy that is there or on its way is taken; one that failed is removed and made anew. Raises
    AwsError when the copying fails, with nothing left, and Interrupted, with a copy left that has
    all its tags and goes on in AWS.
    """
    for found in images.named(session, region, [source.name]):
        if found.state in ("available", "pending"):
            return until_available(session, found.name, region, found.id, stop)
        images.remove(session, found)
    if stop.requested:
        raise Interrupted(f"interrupted; nothing was copied to {region}")
    made = images.copy(session, source, region, description=description, tags=tags)
    return until_available(session, source.name, region, made, stop)


def until_available(session: Session, name: str, region: str, ami: str, stop: Stop) -> Ami:
    """Wait for an AMI that is being made. One that fails is removed, and AwsError raised."""
    for pause in _pauses():
        # A new AMI may take a moment until it is listed.
        found = next(iter(images.existing(session, [(region, ami)])), None)
        if found and found.state == "available":
            return found
        if found and found.state != "pending":
            images.remove(session, found)
            why = found.why or "AWS gives no reason"
            raise AwsError(f"{name} is {found.state} in {region}: {why}", where=ami)
        sleep(pause, stop, f"AWS goes on making {name} in {region}; the next bake takes it up")
    raise AssertionError("unreachable: there is no last pause")


def sleep(seconds: float, stop: Stop, what: str) -> None:
    """Wait; raises Interrupted, saying `what`, soon after a stop is requested."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if stop.requested:
            raise Interrupted(f"interrupted; {what}")
        time.sleep(min(left, STOP_WITHIN_S))


def _pauses() -> Iterator[float]:
    pause = FIRST_PAUSE_S
    while True:
        yield pause
        pause = min(pause * GROWTH, LONGEST_PAUSE_S)
