"""What the API reads from a request before moto does."""

import pytest

from orchestrate.lab.auth.check import Caller
from orchestrate.lab.auth.holders import Holder
from orchestrate.lab.auth.signed import Signed
from orchestrate.lab.call import Call, call_of

FORM = "application/x-www-form-urlencoded; charset=utf-8"
POST = {"REQUEST_METHOD": "POST", "PATH_INFO": "/"}


def _caller(service: str) -> Caller:
    claim = Signed("KEY", "20261129", "us-west-2", service, "20261129T000000Z", ("host",), "0")
    return Caller(claim, Holder("123456789012", "secret"))


def test_a_query_request_is_read_from_its_form() -> None:
    environ = {**POST, "CONTENT_TYPE": FORM}

    assert call_of(environ, b"Action=RunInstances&Version=2016-11-15", _caller("ec2")) == Call(
        "123456789012", "us-west-2", "ec2", "RunInstances", key="KEY"
    )


def test_a_query_request_may_have_it_all_in_its_url() -> None:
    environ = {**POST, "QUERY_STRING": "Version=2016-11-15&Action=RunInstances"}

    assert call_of(environ, b"", _caller("ec2")).action == "RunInstances"


def test_a_json_request_is_read_from_its_target() -> None:
    environ = {**POST, "HTTP_X_AMZ_TARGET": "DynamoDB_20120810.PutItem"}

    assert call_of(environ, b"{}", _caller("dynamodb")).action == "PutItem"


def test_a_rest_request_is_its_method_and_path() -> None:
    environ = {**POST, "PATH_INFO": "/bucket/key", "QUERY_STRING": "Action=Fake"}

    assert call_of(environ, b"Action=Fake", _caller("s3")).action == "POST /bucket/key"


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
