"""Data (file systems, buckets, zones) is destroyed only when the command line names it. Pure.

A piece of data is called `STACK/KIND/NAME`, for instance `cluster-us-west/bucket/datasets`.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from orchestrate.changes import Change
from orchestrate.errors import OrchestrateError

KINDS = {"aws_efs_file_system": "efs", "aws_s3_bucket": "bucket", "aws_route53_zone": "zone"}


class DataWouldBeLost(OrchestrateError):
    """The plan destroys data that the command line does not name."""


def data_name(change: Change) -> str:
    """What the operator types for it: the resource's key where it has one, else its own name."""
    key = re.search(r'\["([^"]+)"\]$', change.address)
    name = key.group(1) if key else change.address.rsplit(".", 1)[-1]
    return f"{change.stack}/{KINDS[change.resource_type]}/{name}"


def refuse_unnamed(changes: Iterable[Change], allowed: Iterable[str]) -> None:
    """Raise DataWouldBeLost unless every piece of data at stake matches a name or pattern allowed.

    A pattern must spell out the stack (`cluster-us-west/*`): a wildcard before the slash is none.
    """
    patterns = tuple(allowed)
    at_stake = sorted(data_name(change) for change in changes if change.destroys_data)
    missing = [name for name in at_stake if not any(names(each, name) for each in patterns)]
    if missing:
        raise DataWouldBeLost(
            f"this plan destroys data: {', '.join(missing)}",
            fix="if that is meant, name it: "
            + " ".join(f"--destroy-data {name}" for name in missing),
        )


def idle(patterns: Iterable[str], there: Iterable[str]) -> list[str]:
    """The patterns that mean none of what is there: misspelt, or of something long gone."""
    known = list(there)
    return [each for each in patterns if not any(names(each, one) for one in known)]


def names(pattern: str, data: str) -> bool:
    """Whether a pattern on the command line means this `STACK/KIND/NAME`."""
    stack, _, rest = pattern.partition("/")
    own_stack, _, own_rest = data.partition("/")
    return stack == own_stack and fnmatchcase(own_rest, rest)
