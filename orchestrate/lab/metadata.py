"""The instance metadata service: what it answers, given who asks. Pure; `vpc_services` serves it.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
"""

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from orchestrate.lab.identity import Identity
from orchestrate.lab.metadata_tree import Tree, tree

ADDRESS = IPv4Address("169.254.169.254")
TOKEN_PATH = "/latest/api/token"  # noqa: S105 - a path
TOKEN = "x-aws-ec2-metadata-token"  # noqa: S105 - a header
TTL = f"{TOKEN}-ttl-seconds"
LONGEST_TTL_S = 21600
# Any date is taken for a version: what is new since 2009 is only more.
VERSION = re.compile(r"latest|1\.0|\d{4}-\d\d-\d\d")
VERSIONS = "1.0\n2009-04-04\n2016-09-02\n2018-09-24\n2021-03-23\nlatest"
REASONS = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Not Allowed",
}


@dataclass(frozen=True)
class Request:
    """`headers` have lower-case names; `path` has no query."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes = field(repr=False)
    kind: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tokens:
    """Session tokens that need no memory: each is its end, signed for one instance.

    `now` and ends are seconds on any clock that does not go back.
    """

    secret: bytes = field(repr=False)

    def issue(self, instance_id: str, ttl_s: int, now: float) -> str:
        end = str(int(now) + ttl_s)
        return f"{end}.{self._signature(instance_id, end)}"

    def valid(self, token: str, instance_id: str, now: float) -> bool:
        end, _, signature = token.partition(".")
        genuine = hmac.compare_digest(
            signature.encode(), self._signature(instance_id, end).encode()
        )
        return genuine and now < int(end)

    def _signature(self, instance_id: str, end: str) -> str:
        said = f"{instance_id} {end}".encode()
        return hmac.new(self.secret, said, hashlib.sha256).hexdigest()


def answer(request: Request, identity: Identity | None, tokens: Tokens, now: float) -> Response:
    """What the instance gets; `identity` is None for an address that no instance has."""
    if identity is None:
        return refusal(404)
    if not identity.service_enabled:
        return refusal(403)
    if request.method == "PUT":
        return _token(request, identity.instance_id, tokens, now)
    if request.method not in {"GET", "HEAD"}:
        return refusal(405)
    token = request.headers.get(TOKEN, "")
    asked = token or identity.token_required
    if asked and not tokens.valid(token, identity.instance_id, now):
        return refusal(401)
    return _read(request.path, identity)


def refusal(status: int) -> Response:
    """A page that says no more than the code does."""
    text = f"<title>{status} - {REASONS[status]}</title>\n"
    return Response(status, text.encode(), "text/html")


def _token(request: Request, instance_id: str, tokens: Tokens, now: float) -> Response:
    if request.path != TOKEN_PATH:
        return refusal(404)
    if "x-forwarded-for" in request.headers:  # a proxy's: not the instance itself asks
        return refusal(403)
    ttl = request.headers.get(TTL, "")
    if not (ttl.isascii() and ttl.isdigit() and 1 <= int(ttl) <= LONGEST_TTL_S):
        return refusal(400)
    token = tokens.issue(instance_id, int(ttl), now)
    return Response(200, token.encode(), headers={TTL: ttl})


def _read(path: str, identity: Identity) -> Response:
    version, *names = [name for name in path.split("/") if name] or [""]
    if not version:
        return Response(200, VERSIONS.encode())
    if not VERSION.fullmatch(version):
        return refusal(404)
    if names == ["user-data"]:
        data = identity.user_data
        return Response(200, data, "application/octet-stream") if data else refusal(404)
    found = _find(tree(identity), names)
    return refusal(404) if found is None else Response(200, found.encode(), _kind(found))


def _find(here: "Tree | str", names: list[str]) -> str | None:
    """The value at a path below, or what a folder has; None where there is nothing."""
    for name in names:
        below = None if isinstance(here, str) else _below(here, name)
        if below is None:
            return None
        here = below
    return here if isinstance(here, str) else "\n".join(_listing(here))


def _below(folder: Tree, name: str) -> "Tree | str | None":
    if name in folder:
        return folder[name]
    # A key is listed as `0=operator` and found at `0`.
    keys = (each for listed, each in folder.items() if listed.startswith(f"{name}="))
    return next((each for each in keys if not isinstance(each, str)), None)


def _listing(folder: Tree) -> Iterator[str]:
    for name, below in folder.items():
        is_leaf = isinstance(below, str) or "=" in name
        yield name if is_leaf else f"{name}/"


def _kind(text: str) -> str:
    return "application/json" if text.startswith("{") else "text/plain"
