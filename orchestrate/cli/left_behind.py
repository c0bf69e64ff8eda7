"""What exists on a target and the files no longer describe, as findings of `orchestrate check`."""

import os
from typing import TYPE_CHECKING

from orchestrate.cli.context import Context
from orchestrate.errors import OrchestrateError
from orchestrate.findings import Finding, Place

if TYPE_CHECKING:
    from orchestrate.fleet.models import Fleet


def findings(context: Context, fleet: "Fleet") -> list[Finding]:
    """A warning for each; none where the target can't be asked: check is for machines without
    credentials and without a lab as well.
    """
    name = os.environ.get("ORCHESTRATE_TARGET", "lab")
    try:
        target = context.target(name)
        if name == "aws" and not _has_credentials():
            return []
        from orchestrate.stack_status import left_behind

        found = left_behind(fleet, target)
    except OrchestrateError:
        return []
    return [
        Finding(
            Place(f"fleet/clusters/{stack}.yaml"),
            f"this file is gone, and {stack} still has {resources} resources on {name}",
            f"`orchestrate destroy {stack} --target {name}`, or bring the file back",
            "warning",
        )
        for stack, resources in found.items()
    ]


def _has_credentials() -> bool:
    """Whether somebody is logged in, as far as it shows; asking the metadata service takes long."""
    return any(name in os.environ for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID"))
