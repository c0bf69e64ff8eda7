"""The API, tried by those it is not for: no credentials, wrong ones, others' calls, old ones."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import botocore.auth
import pytest
import requests
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.backends import get_backend

from tests.unit.conftest import ACCOUNT, SECRET
from tests.unit.lab.signing import FORM, REGION, signed

BODY = b"Action=CreateVpc&CidrBlock=10.0.0.0%2F16&Version=2016-11-15"
GUESSED = "lab"
ASKING = {
    "ec2": "describe_vpcs",
    "s3": "list_buckets",
    "sts": "get_caller_identity",
    "iam": "list_users",
    "autoscaling": "describe_auto_scaling_groups",
    "route53": "list_hosted_zones",
    "efs": "describe_file_systems",
    "dynamodb": "list_tables",
}
UNKNOWN = {
    "ec2": ("AuthFailure", 401),
    "s3": ("InvalidAccessKeyId", 403),
    "sts": ("InvalidClientTokenId", 403),
    "iam": ("InvalidClientTokenId", 403),
    "autoscaling": ("InvalidClientTokenId", 403),
    "route53": ("InvalidClientTokenId", 403),
    "efs": ("UnrecognizedClientException", 403),
    "dynamodb": ("UnrecognizedClientException", 403),
}
MISMATCH = {
    **dict.fromkeys(ASKING, ("SignatureDoesNotMatch", 403)),
    "ec2": ("AuthFailure", 401),
    "efs": ("InvalidSignatureException", 403),
    "dynamodb": ("InvalidSignatureException", 403),
}
SKEWED = {
    **MISMATCH,
    "ec2": ("RequestExpired", 400),
    "s3": ("RequestTimeTooSkewed", 403),
}


def client(endpoint: str, service: str, **more: Any) -> Any:
    """A client that tries once, with the operator's key unless told otherwise."""
    own = {"aws_access_key_id": ACCOUNT, "aws_secret_access_key": SECRET.access_key(ACCOUNT)}
    once = {"config": Config(retries={"total_max_attempts": 1})}
    return boto3.client(  # type: ignore[call-overload]  # any service, by name
        service, region_name=REGION, endpoint_url=endpoint, **{**own, **once, **more}
    )


def refused(endpoint: str, service: str, **more: Any) -> tuple[str, int]:
    """Code and status of what a client is answered."""
    with pytest.raises(ClientError) as told:
        getattr(client(endpoint, service, **more), ASKING[service])()
    return told.value.response["Error"]["Code"], told.value.response["ResponseMetadata"][
        "HTTPStatusCode"
    ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock of who signs, by so many minutes."""

    def off_by(minutes: float) -> None:
        moment = datetime.now(UTC) + timedelta(minutes=minutes)
        monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: moment)

    return off_by


@pytest.mark.parametrize("service", ASKING)
def test_the_operator_is_answered(endpoint: str, service: str) -> None:
    assert getattr(client(endpoint, service), ASKING[service])()


@pytest.mark.parametrize("service", ASKING)
def test_a_guessed_secret_is_none(endpoint: str, service: str) -> None:
    assert refused(endpoint, service, aws_secret_access_key=GUESSED) == MISMATCH[service]


def test_the_secret_of_one_account_is_not_that_of_another(endpoint: str) -> None:
    assert refused(endpoint, "sts", aws_access_key_id="999999999999") == MISMATCH["sts"]


@pytest.mark.parametrize("service", ASKING)
def test_a_key_that_nobody_gave_out_is_unknown(endpoint: str, service: str) -> None:
    stolen = "AKIAIOSFODNN7EXAMPLE"
    assert refused(endpoint, service, aws_access_key_id=stolen) == UNKNOWN[service]


@pytest.mark.parametrize("service", ASKING)
def test_who_does_not_sign_is_not_answered(endpoint: str, service: str) -> None:
    unsigned = Config(signature_version=UNSIGNED, retries={"total_max_attempts": 1})
    assert refused(endpoint, service, config=unsigned)[1] == 403


@pytest.mark.parametrize("service", ASKING)
@pytest.mark.parametrize("minutes", [-16, 16, -1440])
def test_a_call_of_another_time_is_too_old_or_too_new(
    endpoint: str, clock: Callable[[float], None], service: str, minutes: float
) -> None:
    clock(minutes)
    assert refused(endpoint, service) == SKEWED[service]


@pytest.mark.parametrize("minutes", [-14, 14])
def test_a_clock_that_is_a_little_off_serves(
    endpoint: str, clock: Callable[[float], None], minutes: float
) -> None:
    clock(minutes)
    assert client(endpoint, "sts").get_caller_identity()["Account"] == ACCOUNT


def test_a_call_that_was_overheard_is_good_for_minutes_only(
    endpoint: str, clock: Callable[[float], None]
) -> None:
    clock(-14)
    overheard = signed("POST", f"{endpoint}/", BODY)
    assert requests.post(f"{endpoint}/", BODY, headers=overheard, timeout=60).ok
    clock(-16)
    overheard = signed("POST", f"{endpoint}/", BODY)
    before = vpcs()
    assert requests.post(f"{endpoint}/", BODY, headers=overheard, timeout=60).status_code == 400
    assert vpcs() == before


def vpcs() -> int:
    """How many there are, whoever asks."""
    held: Any = get_backend("ec2")[ACCOUNT][REGION]
    return len(held.vpcs)


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("/", BODY.replace(b"10.0", b"10.9"), {}),
        ("/", BODY + b"&DryRun=false", {}),
        ("/", b"", {}),
        ("/other", BODY, {}),
        ("/?Action=DeleteVpc", BODY, {}),
        ("/", BODY, {"Content-Type": "application/x-www-form-urlencoded"}),
        ("/", BODY, {"X-Amz-Target": "AmazonEC2.TerminateInstances"}),
        ("/", BODY, {"x-amz-security-token": "mine"}),
        ("/", BODY, {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}),
        ("/", BODY, {"Authorization": "eu-west-1"}),
        ("/", BODY, {"Authorization": "iam"}),
    ],
    ids=lambda given: str(given)[:40],
)
def test_a_call_that_was_altered_is_refused(
    endpoint: str, path: str, body: bytes, headers: dict[str, str]
) -> None:
    own = signed("POST", f"{endpoint}/", BODY)
    if other := headers.pop("Authorization", ""):
        word = "ec2" if other == "iam" else REGION
        headers["Authorization"] = own["Authorization"].replace(f"/{word}/", f"/{other}/")

    before = vpcs()
    answer = requests.post(f"{endpoint}{path}", body, headers={**own, **headers}, timeout=60)

    assert answer.status_code in (401, 403)
    assert vpcs() == before


def test_another_method_is_another_call(endpoint: str) -> None:
    own = signed("PUT", f"{endpoint}/bucket", service="s3", headers={})
    assert requests.delete(f"{endpoint}/bucket", headers=own, timeout=60).status_code == 403


@pytest.mark.parametrize(
    "header",
    [
        "AWS AKIAIOSFODNN7EXAMPLE:frJIUN8DYpKDtOLCwo=",
        "AWS4-HMAC-SHA256 Credential=123456789012/20261130/us-west-2/ec2/aws4_request",
        "AWS4-HMAC-SHA256 Credential=123456789012, SignedHeaders=host, Signature=0",
        "AWS4-ECDSA-P256-SHA256 Credential=1/20261130/s3/aws4_request, Signature=0",
        "Basic cm9vdDpyb290",
        "Bearer \xff",
    ],
)
def test_another_way_to_sign_is_none(endpoint: str, header: str) -> None:
    headers: dict[str, bytes] = {
        "Authorization": header.encode("latin-1"),
        "Content-Type": FORM.encode(),
    }
    answer = requests.post(f"{endpoint}/", BODY, headers=headers, timeout=60)
    assert answer.status_code == 400
    assert "IncompleteSignature" in answer.text


@pytest.mark.parametrize(
    ("stamp", "day"),
    [
        ("20261301T000000Z", "20261301"),
        ("20261130T240000Z", "20261130"),
        ("20261130T000000Z", "20261129"),
        ("20261130", "20261130"),
        ("now", "20261130"),
    ],
)
def test_a_date_that_there_is_not_is_malformed(endpoint: str, stamp: str, day: str) -> None:
    scope = f"{ACCOUNT}/{day}/{REGION}/sts/aws4_request"
    claim = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"
    headers = {"Authorization": claim, "X-Amz-Date": stamp}
    answer = requests.post(endpoint, BODY, headers=headers, timeout=30)
    assert (answer.status_code, "IncompleteSignature" in answer.text) == (400, True)


def test_who_calls_is_not_to_be_named_in_a_header_of_motos(endpoint: str) -> None:
    own = signed("POST", f"{endpoint}/", b"Action=GetCallerIdentity", "sts")
    named = {**own, "x-moto-account-id": "999999999999"}
    answer = requests.post(f"{endpoint}/", b"Action=GetCallerIdentity", headers=named, timeout=60)
    assert f"<Account>{ACCOUNT}</Account>" in answer.text
