"""What a failed terraform command means to the operator, from what it said. Pure."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from orchestrate.errors import (
    AwsError,
    MissingTool,
    OrchestrateError,
    StalePlan,
    StateLocked,
    TerraformError,
)
from orchestrate.terraform import existing, lock
from orchestrate.terraform.events import Diagnostic, Event, Text

# What to look for in an error's text -> the kind of error, what it means, the next step.
KNOWN: tuple[tuple[str, type[OrchestrateError], str, str], ...] = (
    (
        r"No valid credential sources found|no EC2 IMDS role found|NoCredentialProviders",
        AwsError,
        "there are no AWS credentials",
        "log in (for instance `aws sso login`) and set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY",
    ),
    (
        r"ExpiredToken|RequestExpired|token has expired|SSO session .* expired",
        AwsError,
        "the AWS credentials have expired",
        "log in again",
    ),
    (
        r"InvalidClientTokenId|SignatureDoesNotMatch|AuthFailure|InvalidAccessKeyId",
        AwsError,
        "AWS does not accept the credentials",
        "check with `aws sts get-caller-identity`, then log in again",
    ),
    (
        r"AWS [Aa]ccount ID not allowed",
        AwsError,
        "the credentials belong to another AWS account than the fleet's",
        "log in to the account that fleet/fleet.yaml names",
    ),
    (
        r"not authorized to perform: \S+|UnauthorizedOperation|AccessDenied",
        AwsError,
        "the AWS credentials do not allow this",
        "ask whoever grants permissions in the account, or log in with another role",
    ),
    (
        # RequestLimitExceeded is throttling: that is waited out, not asked for.
        r"\b(?!Request)\w+LimitExceeded\b",
        AwsError,
        "a quota of the AWS account is used up",
        "ask for more in the AWS console under Service Quotas, then run this again",
    ),
    (
        r"S3 bucket .*does not exist|NoSuchBucket",
        AwsError,
        "the bucket for Terraform's state does not exist",
        "create it once with `orchestrate bootstrap`",
    ),
    (
        r"connection refused|connection reset by peer",
        AwsError,
        "the AWS API does not answer",
        "for the lab: see `orchestrate lab status`, start it with `orchestrate lab up`",
    ),
    (
        r"Failed to query available provider packages|provider registry .* does not have",
        MissingTool,
        "a Terraform provider is not to be had",
        "see `docs/guides/operator.md`, or point $ORCHESTRATE_PROVIDER_MIRROR at a mirror",
    ),
    (
        r"doesn't match any of the checksums",
        MissingTool,
        "the provider is not the one that HashiCorp released: none of the checksums in "
        "terraform/.terraform.lock.hcl is its own",
        "find out how it came to where providers are taken from; remove it, and let `make setup` "
        "get it anew",
    ),
    (r"Saved plan is stale", StalePlan, "the state has moved on since the plan was made", ""),
)

# Terraform's word for a folder that has changed in a way that needs `init` again.
NEEDS_INIT = re.compile(
    r"Backend initialization required|Module not installed|Module source has changed"
    r"|Inconsistent dependency lock file|Required plugins are not installed"
    r"|Module version requirements have changed|Missing required provider"
    r"|Backend configuration changed"
)

LAST_WORDS = 5
# What the AWS SDK puts before the API's own code and message.
AWS_NOISE = re.compile(r"operation error [^,]*, https response error .*?api error ")


def failure(
    stack: str, events: Sequence[Event], log: Path, how: str, region: str = ""
) -> OrchestrateError:
    """The error to raise for a command of `stack` that ended as `how` says, after `events`.

    `region` is the stack's, "" for one of several regions.
    """
    errors = [each for each in events if isinstance(each, Diagnostic) and each.severity == "error"]
    if not errors:
        # A crash, or words of whatever stands in front of Terraform: they are all there is.
        words = [each.text for each in events if isinstance(each, Text)][-LAST_WORDS:]
        what = "\n    ".join((f"terraform {how} without an error message", *words))
        return TerraformError(what, where=stack, fix=_see(log))
    held = next(filter(None, (lock.from_error(each.detail) for each in errors)), None)
    if held:
        return _locked(stack, held)
    there = [error for error in errors if existing.code(error)]
    if there:
        what, step = existing.told(stack, there, region)
        others = len(errors) - len(there)
        return TerraformError(what, where=stack, fix=f"{step}\n    {_rest(others)}{_see(log)}")
    for error in errors:
        for pattern, kind, meaning, step in KNOWN:
            found = re.search(pattern, f"{error.summary}\n{error.detail}")
            if found:
                what = f"{meaning} ({found[0]}){_at(error)}"
                return kind(what, where=stack, fix=step or _see(log))
    return TerraformError(_said(errors), where=stack, fix=_see(log))


def needs_init(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether the command failed only because the folder must be initialised again."""
    return any(
        each.severity == "error" and NEEDS_INIT.search(f"{each.summary}\n{each.detail}")
        for each in diagnostics
    )


def _locked(stack: str, held: lock.LockInfo) -> StateLocked:
    release = f"orchestrate unlock {stack} {shlex.quote(held.id)}"
    return StateLocked(
        f"the state is locked by {held}",
        where=stack,
        fix=f"wait until that run has ended; if it is dead: `{release}`",
        lock_id=held.id,
        who=held.who,
        created=held.created,
    )


def _said(errors: Sequence[Diagnostic]) -> str:
    """The first error in one line: what, details, where, and how many more there are."""
    first = errors[0]
    what = ": ".join(filter(None, (first.summary, " ".join(first.detail.split()))))
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{AWS_NOISE.sub('', what)}{_at(first)}{more}"


def _rest(others: int) -> str:
    return f"{others} other error{'s' if others > 1 else ''}: " if others else ""


def _at(error: Diagnostic) -> str:
    return f" [{error.place}]" if error.place else ""


def _see(log: Path) -> str:
    return f"see {log}"
