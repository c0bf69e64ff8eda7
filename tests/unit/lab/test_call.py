"""What the API reads from a request before moto does."""

from typing import Any

import pytest

from orchestrate.lab.call import Call, call_of

FORM = "application/x-www-form-urlencoded; charset=utf-8"


def _environ(key: str, service: str, **more: str) -> dict[str, Any]:
    scope = f"{key}/20261129/us-west-2/{service}/aws4_request"
    signature = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/",
        "HTTP_AUTHORIZATION": signature,
        **more,
    }


def test_a_query_request_is_read_from_its_form() -> None:
    environ = _environ("123456789012", "ec2", CONTENT_TYPE=FORM)

    assert call_of(environ, b"Action=RunInstances&Version=2016-11-15") == Call(
        "123456789012", "us-west-2", "ec2", "RunInstances"
    )


def test_a_json_request_is_read_from_its_target() -> None:
    environ = _environ("123456789012", "dynamodb", HTTP_X_AMZ_TARGET="DynamoDB_20120810.PutItem")

    assert call_of(environ, b"{}").action == "PutItem"


def test_a_rest_request_is_its_method_and_path() -> None:
    environ = _environ("123456789012", "s3", PATH_INFO="/bucket/key")

    assert call_of(environ, b"Action=Fake").action == "POST /bucket/key"


@pytest.mark.parametrize("key", ["AKIAIOSFODNN7EXAMPLE", "12345", "1234567890123"])
def test_only_twelve_digits_are_an_account(key: str) -> None:
    assert call_of(_environ(key, "ec2"), b"").account == ""


def test_an_unsigned_request_is_nobody_s() -> None:
    call = call_of({"REQUEST_METHOD": "GET", "PATH_INFO": "/bucket"}, b"")

    assert call == Call("", "", "", "GET /bucket")


@pytest.mark.parametrize(
    ("service", "action", "moves"),
    [
        ("ec2", "RunInstances", True),
        ("ec2", "AssociateAddress", True),
        ("autoscaling", "SetDesiredCapacity", True),
        ("ec2", "DescribeInstances", False),
        ("ec2", "GetConsoleOutput", False),
        ("s3", "PUT /bucket", False),
    ],
)
def test_hosts_may_move_after_a_change_to_instances_only(
    service: str, action: str, moves: bool
) -> None:
    assert Call("", "", service, action).moves_hosts is moves
