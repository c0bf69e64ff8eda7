"""The ways to sign that S3 adds: presigned URLs, chunks, bodies that are not signed."""

import base64
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import botocore.auth
import pytest
import requests
from botocore.auth import S3SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

from orchestrate.lab.auth import chunks
from orchestrate.lab.auth.recompute import signed_by
from orchestrate.lab.auth.signed import signed_of
from orchestrate.lab.http_server import LONG
from tests.unit.conftest import ACCOUNT, SECRET
from tests.unit.lab.auth.test_strangers import client
from tests.unit.lab.signing import OPERATOR, REGION, signed

BUCKET, KEY = "states", "a b/ü+=&~.tfstate"
V4 = Config(signature_version="s3v4", s3={"addressing_style": "path"})


@pytest.fixture
def s3(endpoint: str) -> Any:
    made = client(endpoint, "s3", config=V4)
    made.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    made.put_object(Bucket=BUCKET, Key=KEY, Body=b"state", Metadata={"my_key": "a  b"})
    return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    def off_by(seconds: float) -> None:
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: moment)

    return off_by


def presigned(s3: Any, operation: str = "get_object", **more: Any) -> str:
    return str(s3.generate_presigned_url(operation, Params={"Bucket": BUCKET, "Key": KEY}, **more))


def test_names_of_all_kinds_are_signed_alike(s3: Any) -> None:
    for key in ("//twice", "a/../b", "%41", "sp ace", "ключ", "q?a=b&c", "plus+plus"):
        s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode())
        assert s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() == key.encode()
    assert s3.list_objects_v2(Bucket=BUCKET, Prefix="a b/", Delimiter="/")["KeyCount"] == 1
    assert s3.head_object(Bucket=BUCKET, Key=KEY)["Metadata"] == {"my_key": "a  b"}


def test_a_presigned_url_reads_and_writes(s3: Any) -> None:
    assert requests.get(presigned(s3), timeout=60).content == b"state"
    put = requests.put(presigned(s3, "put_object"), b"new", timeout=60)
    assert put.status_code == 200
    assert s3.get_object(Bucket=BUCKET, Key=KEY)["Body"].read() == b"new"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("%C3%BC", "%C3%BD"),
        ("/states/", "/other/"),
        ("X-Amz-Expires=3600", "X-Amz-Expires=86400"),
        ("X-Amz-Signature=", "X-Amz-Signature=0"),
        (f"{ACCOUNT}%2F", "999999999999%2F"),
        ("?", "?versionId=null&"),
        ("?", "?acl&"),
    ],
)
def test_a_presigned_url_is_for_one_thing(s3: Any, before: str, after: str) -> None:
    url = presigned(s3)
    assert before in url
    assert requests.get(url.replace(before, after, 1), timeout=60).status_code == 403


@pytest.mark.parametrize(
    ("method", "headers"), [("DELETE", {}), ("PUT", {}), ("GET", {"x-amz-acl": "public-read"})]
)
def test_a_presigned_url_is_for_one_way(s3: Any, method: str, headers: dict[str, str]) -> None:
    answer = requests.request(method, presigned(s3), headers=headers, timeout=60)
    assert answer.status_code == 403


@pytest.mark.parametrize(("seconds", "status"), [(-59, 200), (-61, 403), (16 * 60, 403)])
def test_a_presigned_url_ends(
    s3: Any, clock: Callable[[float], None], seconds: float, status: int
) -> None:
    clock(seconds)
    assert requests.get(presigned(s3, ExpiresIn=60), timeout=60).status_code == status


def test_a_presigned_url_lasts_a_week_at_most(s3: Any) -> None:
    answer = requests.get(presigned(s3, ExpiresIn=8 * 86400), timeout=60)
    assert answer.status_code == 400


def test_the_old_way_to_sign_is_none(endpoint: str, s3: Any) -> None:
    old = client(endpoint, "s3", config=Config(signature_version="s3"))
    assert requests.get(presigned(old), timeout=60).status_code == 403


def test_other_services_take_presigned_urls_too(endpoint: str) -> None:
    url = f"{endpoint}/?Action=GetCallerIdentity&Version=2011-06-15"
    request = AWSRequest("GET", url)
    SigV4QueryAuth(OPERATOR, "sts", REGION).add_auth(request)
    signed_url = str(request.url)
    assert f"<Account>{ACCOUNT}<" in requests.get(signed_url, timeout=60).text
    altered = signed_url.replace("GetCallerIdentity", "GetSessionToken")
    assert requests.get(altered, timeout=60).status_code == 403


def chunked(endpoint: str, trailer: bool) -> tuple[str, dict[str, str], bytes]:
    """URL, headers and body of an upload that is signed chunk by chunk."""
    kind = chunks.SIGNED_WITH_TRAILER if trailer else chunks.SIGNED
    url = f"{endpoint}/{BUCKET}/chunked"
    headers = {
        "x-amz-content-sha256": kind,
        "x-amz-decoded-content-length": "8",
        "content-encoding": "aws-chunked",
        **({"x-amz-trailer": "x-amz-checksum-crc32"} if trailer else {}),
    }
    request = AWSRequest("PUT", url, headers=headers)
    _AsItIs().add_auth(request)
    own = dict(request.headers.items())
    claim = signed_of(
        {"HTTP_AUTHORIZATION": own["Authorization"], "HTTP_X_AMZ_DATE": own["X-Amz-Date"]}
    )
    assert claim
    before, body = claim.signature, b""
    for chunk in (b"12345", b"678", b""):
        text = chunks._text("PAYLOAD", claim, before, chunks.NOTHING, chunks.hashed(chunk))
        before = signed_by(SECRET.access_key(ACCOUNT), claim, text)
        end = b"" if trailer and not chunk else b"\r\n"
        body += f"{len(chunk):x};chunk-signature={before}\r\n".encode() + chunk + end
    if trailer:
        crc = base64.b64encode(zlib.crc32(b"12345678").to_bytes(4))
        line = b"x-amz-checksum-crc32:" + crc
        text = chunks._text("TRAILER", claim, before, chunks.hashed(line + b"\n"))
        last = signed_by(SECRET.access_key(ACCOUNT), claim, text)
        body += line + b"\r\nx-amz-trailer-signature:" + last.encode() + b"\r\n\r\n"
    return url, own, body


class _AsItIs(S3SigV4Auth):
    """Takes the header for the body's hash."""

    def __init__(self, service: str = "s3") -> None:
        super().__init__(OPERATOR, service, REGION)

    def payload(self, request: Any) -> str:
        return str(self.given)

    def add_auth(self, request: Any) -> None:
        self.given = request.headers["x-amz-content-sha256"]
        super().add_auth(request)


@pytest.mark.parametrize("trailer", [False, True])
def test_an_upload_in_signed_chunks_is_taken(endpoint: str, s3: Any, trailer: bool) -> None:
    url, headers, body = chunked(endpoint, trailer)
    assert requests.put(url, body, headers=headers, timeout=60).status_code == 200
    assert s3.get_object(Bucket=BUCKET, Key="chunked")["Body"].read() == b"12345678"


@pytest.mark.parametrize("trailer", [False, True])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"12345", b"12346"),
        (b"678", b"67"),
        (b"3;chunk", b"2;chunk"),
        (b"0;chunk-signature", b"0;other"),
        (b"5;chunk-signature=", b"5;chunk-signature=0"),
    ],
)
def test_a_chunk_that_was_altered_is_refused(
    endpoint: str, s3: Any, trailer: bool, before: bytes, after: bytes
) -> None:
    url, headers, body = chunked(endpoint, trailer)
    assert before in body
    answer = requests.put(url, body.replace(before, after, 1), headers=headers, timeout=60)
    assert answer.status_code == 403
    assert "Contents" not in s3.list_objects_v2(Bucket=BUCKET, Prefix="chunked")


def test_a_trailer_that_was_altered_is_refused(endpoint: str, s3: Any) -> None:
    url, headers, body = chunked(endpoint, trailer=True)
    altered = body.replace(b"checksum-crc32:", b"checksum-crc32:x")
    assert requests.put(url, altered, headers=headers, timeout=60).status_code == 403


def test_s3_alone_takes_a_body_that_nobody_signed(endpoint: str, s3: Any) -> None:
    given = {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}
    for service, path, status in (("s3", f"/{BUCKET}/any", 200), ("sts", "/", 403)):
        url = f"{endpoint}{path}"
        request = AWSRequest("PUT", url, data=b"signed", headers=given)
        _AsItIs(service).add_auth(request)
        answer = requests.put(url, b"another", headers=dict(request.headers.items()), timeout=60)
        assert answer.status_code == status


def test_a_body_that_is_not_what_its_hash_says_is_refused(endpoint: str, s3: Any) -> None:
    url = f"{endpoint}/{BUCKET}/any"
    headers = signed("PUT", url, b"signed", "s3", headers={})
    answer = requests.put(url, b"another", headers=headers, timeout=60)
    assert (answer.status_code, "XAmzContentSHA256Mismatch" in answer.text) == (400, True)


LONG_BODY = b"x" * (LONG + 1)


def test_long_bodies_are_taken_of_whom_they_are_signed_by(endpoint: str, s3: Any) -> None:
    s3.put_object(Bucket=BUCKET, Key="long", Body=LONG_BODY)
    assert s3.head_object(Bucket=BUCKET, Key="long")["ContentLength"] == len(LONG_BODY)
    put = requests.put(presigned(s3, "put_object"), LONG_BODY, timeout=60)
    assert put.status_code == 200


@pytest.mark.parametrize(
    ("service", "path", "key"),
    [("s3", f"/{BUCKET}/long", "lab"), ("ec2", "/", "lab"), ("ec2", "/", OPERATOR.secret_key)],
    ids=["S3", "EC2", "EC2, which has none"],
)
def test_the_long_body_of_a_stranger_is_not_read(
    endpoint: str, service: str, path: str, key: str
) -> None:
    url, guess = f"{endpoint}{path}", Credentials(ACCOUNT, key)
    headers = signed("PUT", url, LONG_BODY, service, guess, {})
    with pytest.raises(requests.ConnectionError):
        requests.put(url, LONG_BODY, headers=headers, timeout=60)
