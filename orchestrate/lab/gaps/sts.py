"""STS: a role is assumed by whom it trusts, and only where there is one."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from moto.core.exceptions import ServiceException
from moto.iam.models import iam_backends
from moto.sts.responses import TokenResponse
from moto.utilities.utils import get_partition

from orchestrate.lab.gaps import amends


class NotTrusted(ServiceException):
    """Who asks may not be that role."""

    code = "AccessDenied"


@amends(TokenResponse, "assume_role")
def assume_role(original: Callable[..., Any], response: Any) -> Any:
    """A role that isn't there, or that doesn't trust the caller's account, is refused.

    https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html. moto makes a session of
    any name in any account, so a host of one account was whoever it wanted to be in every other.
    Within an account policies are kept, not enforced, the trust of a role among them.
    """
    arn, account = str(response._get_param("RoleArn")), response.current_account
    if not _trusted(arn, account, get_partition(response.region)):
        raise NotTrusted(f"Not authorized to perform: sts:AssumeRole on resource: {arn}")
    return original(response)


def _trusted(arn: str, caller: str, partition: str) -> bool:
    account = arn.split(":")[4] if arn.count(":") >= 5 else ""
    if account not in iam_backends:  # asking moto for it would make it
        return False
    backend: Any = iam_backends[account][partition]
    role = next((one for one in backend.roles.values() if one.arn == arn), None)
    if role is None:
        return False
    trusted = {caller, "*"} & set(_accounts(role.assume_role_policy_document))
    return account == caller or bool(trusted)


def _accounts(policy: str) -> Iterator[str]:
    """The accounts that a trust policy names: by number, by root, or by somebody in them."""
    statements = json.loads(policy or "{}").get("Statement", [])
    for statement in [statements] if isinstance(statements, dict) else statements:
        principal = statement.get("Principal", {})
        named = principal.get("AWS", []) if isinstance(principal, dict) else []
        if statement.get("Effect") == "Allow":
            for one in [named] if isinstance(named, str) else named:
                yield one.split(":")[4] if one.count(":") >= 5 else one
