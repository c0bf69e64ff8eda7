"""What a request to the lab's API asks for. Pure: reads the request, does nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # With it comes all of moto, and every command reads the lab's record, which knows of calls.
    from orchestrate.lab.auth.check import Caller

ACTION = re.compile(rb"(?:^|&)Action=(\w+)")
TARGET = re.compile(r"\.(\w+)$")
ATTEMPT = re.compile(r"attempt=(\d+)")
READS = ("Describe", "Get", "List")


@dataclass(frozen=True)
class Call:
    """What a request asks for, and whose it is, by a signature that was checked.

    `key` is the access key id, `account` whose it is. `invocation` is the SDK's own id of the call,
    the same each time it sends it; `attempt` counts from 1.
    https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
    """

    account: str
    region: str
    service: str
    action: str
    invocation: str = ""
    attempt: int = 1
    key: str = ""

    @property
    def reads(self) -> bool:
        """Whether it only asks: nothing is different afterwards."""
        return self.action.startswith((*READS, "GET ", "HEAD "))

    @property
    def moves_hosts(self) -> bool:
        """Whether instances, addresses or groups may be different afterwards."""
        return self.service in {"ec2", "autoscaling"} and not self.action.startswith(READS)


def call_of(environ: Mapping[str, Any], body: bytes, caller: "Caller") -> Call:
    """Read an AWS request: the protocol's field for what it asks."""
    claim = caller.claim
    attempt = ATTEMPT.search(environ.get("HTTP_AMZ_SDK_REQUEST", ""))
    return Call(
        account=caller.account,
        region=claim.region,
        service=claim.service,
        action=_action(environ, body, claim.service),
        invocation=environ.get("HTTP_AMZ_SDK_INVOCATION_ID", ""),
        attempt=int(attempt[1]) if attempt else 1,
        key=claim.key,
    )


def _action(environ: Mapping[str, Any], body: bytes, service: str) -> str:
    """The operation's name, in a form or a URL; else method and path, as S3 has it."""
    form = ACTION.search(body) if "urlencoded" in environ.get("CONTENT_TYPE", "") else None
    if form is None and service != "s3":
        form = ACTION.search(environ.get("QUERY_STRING", "").encode())
    target = TARGET.search(environ.get("HTTP_X_AMZ_TARGET", ""))
    fallback = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
    return form[1].decode() if form else target[1] if target else fallback
