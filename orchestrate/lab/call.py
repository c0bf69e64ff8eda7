"""What a request to the lab's API asks for. Pure: reads the request, does nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CREDENTIAL = re.compile(r"Credential=(?P<key>[^/]+)/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/")
ACCOUNT = re.compile(r"\d{12}")
ACTION = re.compile(rb"(?:^|&)Action=(\w+)")
TARGET = re.compile(r"\.(\w+)$")
READS = ("Describe", "Get", "List")


@dataclass(frozen=True)
class Call:
    """What a request asks for, read from its signature and body; "" where it does not say."""

    account: str
    region: str
    service: str
    action: str

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
    fallback = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
    return Call(
        account=key if ACCOUNT.fullmatch(key) else "",
        region=signed["region"] if signed else "",
        service=signed["service"] if signed else "",
        action=form[1].decode() if form else target[1] if target else fallback,
    )
