"""Signatures computed anew, by botocore's own signers: what a caller with that secret would send.

The only importer of botocore in the lab. Pure.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from botocore.auth import SigV4Auth
from botocore.credentials import Credentials

from orchestrate.lab.auth.signed import Signed

KEYS = 256  # signing keys that are remembered: one a day for each caller, region and service


def signature(
    secret: str, claim: Signed, method: str, uri: str, headers: Mapping[str, str], payload: str
) -> str:
    """The signature that belongs to a request.

    `uri` is path and query as they were sent, without X-Amz-Signature; `headers` those that are
    signed; `payload` the hash of the body, or what stands for it.
    """
    signer = _S3Signer if claim.service == "s3" else _Signer
    # The host is among the headers; this one is never read.
    date = {"timestamp": claim.stamp}
    request: Any = _Request(method, f"http://lab{uri}", _Headers(headers), date)
    made = signer(secret, claim, payload)
    canonical = made.canonical_request(request)
    return signed_by(secret, claim, made.string_to_sign(request, canonical))


def signed_by(secret: str, claim: Signed, text: str) -> str:
    """The signature of a text in a claim's scope."""
    key = _signing_key(secret, claim.date, claim.region, claim.service)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


@lru_cache(KEYS)
def _signing_key(secret: str, *scope: str) -> bytes:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html"""
    key = b"AWS4" + secret.encode()
    for part in (*scope, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


class _Headers(dict[str, str]):
    """Headers by their names in small letters, as a message has them."""

    def get_all(self, name: str) -> list[str]:
        return [self[name]]


@dataclass(frozen=True)
class _Request:
    """As much of botocore's own as its signers read: that one takes three times as long."""

    method: str
    url: str
    headers: _Headers
    context: Mapping[str, str]
    params: Mapping[str, str] = field(default_factory=dict)


class _Signer(SigV4Auth):
    """Signs what the caller says it signed, and no header more."""

    def __init__(self, secret: str, claim: Signed, payload: str) -> None:
        super().__init__(Credentials(claim.key, secret), claim.service, claim.region)
        self._hash = payload

    def headers_to_sign(self, request: Any) -> Any:
        return request.headers

    def payload(self, request: Any) -> str:
        return self._hash


class _S3Signer(_Signer):
    """S3 takes paths as they are."""

    def _normalize_url_path(self, path: str) -> str:
        return path
