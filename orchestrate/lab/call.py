"""What a request to the lab's API asks for. Pure: reads the request, does nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CREDENTIAL = re.compile(r"Credential=(?P<key>[^/]+)/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/")
ACCOUNT = re.compile(r"\d{12}")
ACTION = re.compile(rb"(?:^|&)Action=(\w+)")
TARGET = re.compile(r"\.(\w+)$")
ATTEMPT = re.compile(r"attempt=(\d+)")
READS = ("Describe", "Get", "List")


@dataclass(frozen=True)
class Call:
    """What a request asks for, read from its signature and body; "" where it does not say.

    `invocation` is the SDK's own id of the call, the same each time it sends it; `attempt` counts
    from 1. https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
    """

    account: str
    region: str
    service: str
    action: str
    invocation: str = ""
    attempt: int = 1

    @property
    def reads(self) -> bool:
        """Whether it only asks: nothing is different afterwards."""
        return self.action.startswith((*READS, "GET ", "HEAD "))

    @property
    def moves_hosts(self) -> bool:
        """Whether instances, addresses or groups may be different afterwards."""
        return self.service in {"ec2", "autoscaling"} and not self.action.startswith(READS)


def call_of(environ: Mapping[str, Any], body: bytes) -> Call:
    """Read an AWS request: Signature Version 4 for who and where, the protocol's field for what."""
    signed = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    key = signed["key"] if signed else ""
    form = ACTION.search(body) if "urlencoded" in environ.get("CONTENT_TYPE", "") else None
    target = TARGET.search(environ.get("HTTP_X_AMZ_TARGET", ""))
    attempt = ATTEMPT.search(environ.get("HTTP_AMZ_SDK_REQUEST", ""))
    fallback = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
    return Call(
        account=key if ACCOUNT.fullmatch(key) else "",
        region=signed["region"] if signed else "",
        service=signed["service"] if signed else "",
        action=form[1].decode() if form else target[1] if target else fallback,
        invocation=environ.get("HTTP_AMZ_SDK_INVOCATION_ID", ""),
        attempt=int(attempt[1]) if attempt else 1,
    )
