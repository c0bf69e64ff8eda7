"""Calls signed as SDKs sign them, by botocore: for requests over HTTP, and as WSGI has them."""

import io
from typing import Any

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.unit.conftest import ACCOUNT, SECRET

HOST = "127.0.0.1:1"
FORM = "application/x-www-form-urlencoded; charset=utf-8"
REGION = "us-west-2"
OPERATOR = Credentials(ACCOUNT, SECRET.access_key(ACCOUNT))


def signed(
    method: str,
    url: str,
    body: bytes = b"",
    service: str = "ec2",
    credentials: Credentials = OPERATOR,
    headers: dict[str, str] | None = None,
) -> dict[str, str]:
    """The headers of a call, its signature among them."""
    given = {"Content-Type": FORM} if headers is None else headers
    request = AWSRequest(method, url, data=body, headers=given)
    signer = S3SigV4Auth if service == "s3" else SigV4Auth
    signer(credentials, service, REGION).add_auth(request)
    return dict(request.headers.items())


def environ(body: bytes, credentials: Credentials = OPERATOR, **more: str) -> dict[str, Any]:
    """A call of EC2, with headers that nobody signs."""
    headers = {**signed("POST", f"http://{HOST}/", body, credentials=credentials), "Host": HOST}
    names = {name: f"HTTP_{name.upper().replace('-', '_')}" for name in headers}
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/",
        "QUERY_STRING": "",
        "CONTENT_TYPE": FORM,
        **{names[name]: value for name, value in headers.items() if name != "Content-Type"},
        "wsgi.input": io.BytesIO(body),
        **more,
    }
