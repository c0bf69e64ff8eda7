"""Errors as each AWS service words them: code, HTTP status and document. Pure."""

import json
from dataclasses import dataclass
from http import HTTPStatus
from xml.sax.saxutils import escape

# How services wrap an error in XML, other than as most do.
WRAPPERS = {"ec2": "<Response><Errors>{}</Errors></Response>", "s3": "{}"}
JSON_SERVICES = {"elasticfilesystem"}  # by protocol: their reads carry no content type
ERROR_TYPE = "x-amzn-ErrorType"  # where the REST-JSON protocol names the error


@dataclass(frozen=True)
class Refusal:
    """An error on its way to a caller."""

    status: int
    code: str
    message: str


UNAVAILABLE = Refusal(503, "ServiceUnavailable", "The service is unavailable. Try again shortly.")
UNAVAILABLE_S3 = Refusal(503, "ServiceUnavailable", "Please reduce your request rate.")


def throttled(service: str, is_json: bool) -> Refusal:
    """A service's own answer to a caller who asks too often.

    https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html,
    https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, and the "Common Errors"
    of the others.
    """
    if service == "ec2":
        return Refusal(503, "RequestLimitExceeded", "Request limit exceeded.")
    if service == "s3":
        return Refusal(503, "SlowDown", "Please reduce your request rate.")
    return Refusal(400, "ThrottlingException" if is_json else "Throttling", "Rate exceeded")


def unavailable(service: str) -> Refusal:
    """A service that cannot answer just now."""
    return UNAVAILABLE_S3 if service == "s3" else UNAVAILABLE


def denied(service: str, is_json: bool) -> Refusal:
    """A service's own answer to a caller who may not do that; no SDK tries again.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    (UnauthorizedOperation); elsewhere AccessDenied, or AccessDeniedException where JSON is spoken.
    """
    if service == "ec2":
        words = "You are not authorized to perform this operation."
        return Refusal(403, "UnauthorizedOperation", words)
    return Refusal(403, "AccessDeniedException" if is_json else "AccessDenied", "Access Denied")


def speaks_json(service: str, content_type: str) -> bool:
    """Whether a caller of this service reads JSON."""
    return service in JSON_SERVICES or "json" in content_type


def document(refusal: Refusal, service: str, is_json: bool) -> str:
    """The text of an error in the service's format."""
    if is_json:
        return json.dumps({"__type": refusal.code, "message": refusal.message})
    error = f"<Code>{refusal.code}</Code><Message>{escape(refusal.message)}</Message>"
    wrapper = WRAPPERS.get(service, "<ErrorResponse>{}</ErrorResponse>")
    return wrapper.format(f"<Error>{error}</Error>")


def status_line(status: int) -> str:
    """Such as `503 Service Unavailable`."""
    return f"{status} {HTTPStatus(status).phrase}"
