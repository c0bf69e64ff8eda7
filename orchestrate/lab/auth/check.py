"""Whether a call is by whom it says: known key, fresh, signed with its secret, nothing altered.

As AWS checks Signature Version 4; what it permits a caller to do is another matter.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from orchestrate.lab.auth import chunks, recompute
from orchestrate.lab.auth.holders import Holder
from orchestrate.lab.auth.refusals import Kind
from orchestrate.lab.auth.signed import MalformedSignature, Signed, signed_of

SKEW = timedelta(minutes=15)  # of a caller's clock, either way; so long a call can be replayed
UNSIGNED = "UNSIGNED-PAYLOAD"
# Only S3 lets a caller leave the body unsigned, with a checksum behind it or not.
UNSIGNED_BODIES = {UNSIGNED, "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}
CHUNKED = {chunks.SIGNED, chunks.SIGNED_WITH_TRAILER}
CONTENT_HASH = "x-amz-content-sha256"

Environ = Mapping[str, Any]
Find = Callable[[str], Holder | None]


@dataclass
class Unauthentic(Exception):
    """A call that is not taken for whose it says it is."""

    kind: Kind
    service: str
    detail: str = ""


@dataclass(frozen=True)
class Caller:
    """Whose call it is."""

    claim: Signed
    holder: Holder

    @property
    def account(self) -> str:
        return self.holder.account


def caller(environ: Environ, body: bytes, find: Find, now: datetime) -> Caller:
    """Whose call a WSGI request is; `find` knows who holds a key. Raises Unauthentic."""
    claim, holder = _claimed(environ, find, now)
    headers = _headers(environ, claim)
    payload = _payload(headers.get(CONTENT_HASH, ""), body, claim)
    if not _genuine(environ, claim, holder, headers, payload):
        raise Unauthentic("mismatch", claim.service)
    sign = partial(recompute.signed_by, holder.secret, claim)
    if payload in CHUNKED and not chunks.all_signed(body, payload, claim, sign):
        raise Unauthentic("mismatch", claim.service)
    _in_session(claim, holder, now)
    return Caller(claim, holder)


def may_be_long(environ: Environ, find: Find, now: datetime) -> bool:
    """Whether a call may have a long body, asked before that is read: a stranger's may not.

    Only S3 is sent long ones, and has all that is needed to know in the headers, which say what
    the body's hash is.
    """
    try:
        claim, holder = _claimed(environ, find, now)
    except Unauthentic:
        return False
    headers = _headers(environ, claim)
    payload = headers.get(CONTENT_HASH) or UNSIGNED
    return claim.service == "s3" and _genuine(environ, claim, holder, headers, payload)


def _claimed(environ: Environ, find: Find, now: datetime) -> tuple[Signed, Holder]:
    """Whose a call is said to be, as far as that can be seen without its secret."""
    try:
        claim = signed_of(environ)
    except MalformedSignature as error:
        raise Unauthentic("malformed", _service(environ), str(error)) from error
    if claim is None:
        raise Unauthentic("unsigned", _service(environ))
    holder = find(claim.key)
    if holder is None:
        raise Unauthentic("unknown", claim.service)
    _all_of_it(environ, claim)
    _fresh(claim, now)
    return claim, holder


def _service(environ: Environ) -> str:
    """The service that an unsigned call is for, where its host's name says so."""
    named = str(environ.get("HTTP_HOST", "")).split(".")
    return "s3" if "s3" in named else named[0] if "amazonaws" in named else ""


def _all_of_it(environ: Environ, claim: Signed) -> None:
    """Host and what AWS itself reads must be signed; a header that was added is not."""
    asked = {key[5:] for key in environ if key.startswith("HTTP_X_AMZ_")}
    signed = {_key(name) for name in claim.headers}
    if left := sorted(_name(key) for key in {"HOST", *asked} - signed):
        words = "There were headers present in the request which were not signed"
        raise Unauthentic("unsigned header", claim.service, f"{words}: {', '.join(left)}")


def _fresh(claim: Signed, now: datetime) -> None:
    ends = claim.moment + (SKEW if claim.expires_s is None else timedelta(seconds=claim.expires_s))
    if now > ends:
        kind: Kind = "skewed" if claim.expires_s is None else "expired url"
        raise Unauthentic(kind, claim.service, f"Signature expired: {claim.stamp} is too long ago.")
    if claim.moment > now + SKEW:
        raise Unauthentic("skewed", claim.service, f"Signature not yet current: {claim.stamp}.")


def _headers(environ: Environ, claim: Signed) -> dict[str, str]:
    """Those that are signed, by name."""
    return {name: _value(environ, name) for name in claim.headers}


def _genuine(
    environ: Environ, claim: Signed, holder: Holder, headers: Mapping[str, str], payload: str
) -> bool:
    """Whether the signature is what the holder's secret makes of the request."""
    ours = recompute.signature(
        holder.secret, claim, environ["REQUEST_METHOD"], _uri(environ), headers, payload
    )
    return hmac.compare_digest(ours.encode(), claim.signature.encode())


def _payload(given: str, body: bytes, claim: Signed) -> str:
    """What stands for the body in the signature: its hash, which a header may repeat."""
    if claim.service == "s3":
        if given in UNSIGNED_BODIES | CHUNKED:
            return given
        if not given and claim.expires_s is not None:
            return UNSIGNED
    digest = hashlib.sha256(body).hexdigest()
    if given not in ("", digest):
        raise Unauthentic("other body", claim.service)
    return digest


def _in_session(claim: Signed, holder: Holder, now: datetime) -> None:
    if not hmac.compare_digest(claim.token.encode(), holder.token.encode()):
        raise Unauthentic("wrong token", claim.service)
    if holder.expires and now >= holder.expires:
        raise Unauthentic("expired session", claim.service)


def _uri(environ: Environ) -> str:
    """Path and query as they were sent; the signature itself is not signed."""
    raw = str(environ.get("RAW_URI") or environ["PATH_INFO"])
    path = raw.partition("?")[0]
    if "://" in path:  # as a proxy is asked
        path = "/" + path.partition("://")[2].partition("/")[2]
    pairs = str(environ.get("QUERY_STRING", "")).split("&")
    query = "&".join(pair for pair in pairs if not pair.startswith("X-Amz-Signature="))
    return f"{path}?{query}" if query else path


def _value(environ: Environ, name: str) -> str:
    """A header as the caller wrote it, which WSGI has byte by byte."""
    key = _key(name)
    plain = key in ("CONTENT_TYPE", "CONTENT_LENGTH")
    found = str(environ.get(key if plain else f"HTTP_{key}", ""))
    return found.encode("latin-1", "replace").decode("utf-8", "replace")


def _key(name: str) -> str:
    return name.upper().replace("-", "_")


def _name(key: str) -> str:
    return key.replace("_", "-").lower()
