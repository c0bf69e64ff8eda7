"""What AWS answers a caller that it doesn't take for whom it says it is, service by service. Pure.

The "Common Errors" of each service's API reference; for EC2
https://docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html, for S3
https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
"""

from typing import Literal

from orchestrate.lab.faults.answers import Refusal

Kind = Literal[
    "unsigned",
    "malformed",
    "unknown",
    "mismatch",
    "unsigned header",
    "other body",
    "skewed",
    "expired url",
    "expired session",
    "wrong token",
]

OWN = "A lab takes credentials of its own alone: see `orchestrate lab env`."
MISMATCH = "The request signature we calculated does not match the signature you provided."
INVALID_TOKEN = "The security token included in the request is invalid."  # noqa: S105
EXPIRED_TOKEN = "The security token included in the request is expired"  # noqa: S105
# By service, else "json" or "query": code, status, words; None stands for what was found wrong.
Row = tuple[str, int, str | None]
EC2_FAILED: Row = ("AuthFailure", 401, "AWS was not able to validate the provided credentials.")
EC2_EXPIRED: Row = ("RequestExpired", 400, "Request has expired.")
EC2: dict[Kind, Row] = {
    "unknown": EC2_FAILED,
    "mismatch": EC2_FAILED,
    "unsigned header": EC2_FAILED,
    "other body": EC2_FAILED,
    "wrong token": EC2_FAILED,
    "skewed": EC2_EXPIRED,
    "expired url": EC2_EXPIRED,
    "expired session": EC2_EXPIRED,
}
S3: dict[Kind, Row] = {
    "unsigned": ("AccessDenied", 403, "Access Denied"),
    "malformed": ("AuthorizationHeaderMalformed", 400, None),
    "unknown": ("InvalidAccessKeyId", 403, "The access key Id you provided does not exist."),
    "mismatch": ("SignatureDoesNotMatch", 403, MISMATCH),
    "unsigned header": ("AccessDenied", 403, None),
    "other body": ("XAmzContentSHA256Mismatch", 400, "The content does not match its SHA256."),
    "skewed": ("RequestTimeTooSkewed", 403, None),
    "expired url": ("AccessDenied", 403, "Request has expired"),
    "expired session": ("ExpiredToken", 400, "The provided token has expired."),
    "wrong token": ("InvalidToken", 400, "The provided token is malformed or otherwise invalid."),
}
QUERY: dict[Kind, Row] = {
    "unsigned": ("MissingAuthenticationToken", 403, "Request is missing Authentication Token"),
    "malformed": ("IncompleteSignature", 400, None),
    "unknown": ("InvalidClientTokenId", 403, INVALID_TOKEN),
    "mismatch": ("SignatureDoesNotMatch", 403, MISMATCH),
    "unsigned header": ("SignatureDoesNotMatch", 403, None),
    "other body": ("SignatureDoesNotMatch", 403, MISMATCH),
    "skewed": ("SignatureDoesNotMatch", 403, None),
    "expired url": ("SignatureDoesNotMatch", 403, None),
    "expired session": ("ExpiredToken", 403, EXPIRED_TOKEN),
    "wrong token": ("InvalidClientTokenId", 403, INVALID_TOKEN),
}
# Services that speak JSON call the same by other names.
JSON_CODES = {
    "ExpiredToken": "ExpiredTokenException",
    "IncompleteSignature": "IncompleteSignatureException",
    "InvalidClientTokenId": "UnrecognizedClientException",
    "MissingAuthenticationToken": "MissingAuthenticationTokenException",
    "SignatureDoesNotMatch": "InvalidSignatureException",
}
# What a caller with the wrong credentials is told in a lab.
ABOUT_CREDENTIALS: set[Kind] = {"unsigned", "unknown", "mismatch"}


def refusal(kind: Kind, service: str, is_json: bool, detail: str) -> Refusal:
    """A service's answer; `detail` says what was found wrong where AWS says it as well."""
    rows = {"ec2": {**QUERY, **EC2}, "s3": S3}.get(service, QUERY)
    code, status, words = rows[kind]
    said = words or detail
    if kind in ABOUT_CREDENTIALS:
        said = f"{said} {OWN}"
    return Refusal(status, JSON_CODES.get(code, code) if is_json else code, said)
