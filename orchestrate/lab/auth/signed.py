"""What a request says of its signature (Signature Version 4), in a header or in its URL. Pure.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl

ALGORITHM = "AWS4-HMAC-SHA256"
STAMP = "%Y%m%dT%H%M%SZ"
SCOPE = re.compile(r"([^/]+)/([0-9]{8})/([^/]*)/([^/]+)/aws4_request")
DATE = re.compile(r"[0-9]{8}T[0-9]{6}Z")
SECONDS = re.compile(r"[0-9]{1,6}")
FIELD = re.compile(r"(Credential|SignedHeaders|Signature)=([^,\s]+)")
LONGEST_S = 7 * 86400  # that a presigned URL may be good for

Environ = Mapping[str, Any]


class MalformedSignature(ValueError):
    """Signed somehow, but not as Signature Version 4 has it."""


@dataclass(frozen=True)
class Signed:
    """A claim: who signed when for which service, and what.

    `stamp` is the moment as it was signed; `headers` are the names of those that are signed, in
    small letters. `expires_s` is None where the signature is in a header, `token` "" for keys that
    last.
    """

    key: str
    date: str
    region: str
    service: str
    stamp: str
    headers: tuple[str, ...]
    signature: str
    token: str = field(default="", repr=False)
    expires_s: int | None = None

    @property
    def moment(self) -> datetime:
        return _moment(self.stamp)

    @property
    def scope(self) -> str:
        return f"{self.date}/{self.region}/{self.service}/aws4_request"

    @property
    def header(self) -> str:
        """As the header `Authorization` has it; moto reads that alone."""
        names = ";".join(self.headers)
        credential = f"{ALGORITHM} Credential={self.key}/{self.scope}"
        return f"{credential}, SignedHeaders={names}, Signature={self.signature}"


def signed_of(environ: Environ) -> Signed | None:
    """The signature of a WSGI request; None where it has none. Raises MalformedSignature."""
    header = environ.get("HTTP_AUTHORIZATION", "")
    if header:
        return _in_header(header, environ)
    query = dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    return _in_url(query) if "X-Amz-Algorithm" in query or "X-Amz-Signature" in query else None


def _in_header(header: str, environ: Environ) -> Signed:
    algorithm, _, rest = header.partition(" ")
    found = dict(FIELD.findall(rest))
    if algorithm != ALGORITHM or len(found) < 3:
        raise MalformedSignature(f"{ALGORITHM} Credential=, SignedHeaders=, Signature= are needed")
    return _signed(
        found["Credential"],
        _stamp(environ),
        found["SignedHeaders"],
        found["Signature"],
        environ.get("HTTP_X_AMZ_SECURITY_TOKEN", ""),
    )


def _in_url(query: Mapping[str, str]) -> Signed:
    expires = query.get("X-Amz-Expires", "")
    if query.get("X-Amz-Algorithm") != ALGORITHM or not SECONDS.fullmatch(expires):
        raise MalformedSignature(f"X-Amz-Algorithm={ALGORITHM} and X-Amz-Expires are needed")
    if int(expires) > LONGEST_S:
        raise MalformedSignature("X-Amz-Expires must be less than a week (in seconds)")
    return _signed(
        query.get("X-Amz-Credential", ""),
        query.get("X-Amz-Date", ""),
        query.get("X-Amz-SignedHeaders", ""),
        query.get("X-Amz-Signature", ""),
        query.get("X-Amz-Security-Token", ""),
        int(expires),
    )


def _signed(
    credential: str, stamp: str, names: str, signature: str, token: str, expires: int | None = None
) -> Signed:
    scope = SCOPE.fullmatch(credential)
    if not scope:
        raise MalformedSignature("Credential is KEY/DATE/REGION/SERVICE/aws4_request")
    if not DATE.fullmatch(stamp) or stamp[:8] != scope[2]:
        raise MalformedSignature("the date must be there, and be that of Credential")
    try:
        _moment(stamp)
    except ValueError as error:
        raise MalformedSignature("there is no such date") from error
    headers = tuple(names.lower().split(";"))
    key, date, region, service = scope.groups()
    return Signed(key, date, region, service, stamp, headers, signature, token, expires)


def _moment(stamp: str) -> datetime:
    """As strptime reads it, which takes as long as the rest of a check. Raises ValueError."""
    day, _, clock = stamp.rstrip("Z").partition("T")
    date = (int(day[:4]), int(day[4:6]), int(day[6:]))
    return datetime(*date, int(clock[:2]), int(clock[2:4]), int(clock[4:]), tzinfo=UTC)


def _stamp(environ: Environ) -> str:
    """The date as X-Amz-Date has it, else the header Date, which HTTP has always had."""
    if given := environ.get("HTTP_X_AMZ_DATE", ""):
        return str(given)
    try:
        return parsedate_to_datetime(environ.get("HTTP_DATE", "")).astimezone(UTC).strftime(STAMP)
    except ValueError:
        return ""
