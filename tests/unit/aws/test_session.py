"""Errors of the AWS API in plain words, and clients that obey the target alone."""

from collections.abc import Callable

import pytest
from botocore import exceptions as botocore
from botocore.exceptions import ClientError

from orchestrate.aws import session
from orchestrate.aws.session import Session, explain, verify_account
from orchestrate.errors import AwsError
from orchestrate.target import Target

ACCOUNT = "123456789012"
AWS = Target("aws")
LAB = Target(
    "lab",
    endpoint_url="http://127.0.0.1:9",
    environment={"AWS_ACCESS_KEY_ID": ACCOUNT, "AWS_SECRET_ACCESS_KEY": "lab"},
)


def refused(code: str, message: str = "") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "DescribeInstances")


@pytest.mark.parametrize(
    ("error", "target", "what", "fix"),
    [
        (botocore.NoCredentialsError(), AWS, "no AWS credentials found", "AWS_PROFILE"),
        (
            botocore.PartialCredentialsError(provider="env", cred_var="secret_key"),
            AWS,
            "no AWS credentials found",
            "AWS_SECRET_ACCESS_KEY",
        ),
        (refused("SignatureDoesNotMatch"), AWS, "does not know these credentials", "aws sso login"),
        (refused("InvalidSignatureException"), AWS, "does not know these", "aws sso login"),
        (refused("AuthFailure"), LAB, "the lab has other credentials by now", "run this again"),
        (refused("ExpiredToken"), AWS, "credentials have expired", "aws sso login"),
        (refused("RequestExpired"), AWS, "credentials have expired", "aws sso login"),
        (
            botocore.TokenRetrievalError(provider="sso", error_msg="Token has expired"),
            AWS,
            "login has expired",
            "aws sso login",
        ),
        (refused("InvalidClientTokenId"), AWS, "does not know these credentials", "sts"),
        (
            refused("AccessDenied", "X is not authorized to perform: ec2:DescribeVpcs on *"),
            AWS,
            "access denied for ec2:DescribeVpcs",
            "allow ec2:DescribeVpcs",
        ),
        (
            refused("UnauthorizedOperation", "You are not authorized."),
            AWS,
            "access denied for DescribeInstances",
            "allow DescribeInstances",
        ),
        (refused("InvalidVpcID.NotFound", "no vpc-1"), AWS, "no vpc-1 (InvalidVpcID.NotFound)", ""),
        (botocore.ProfileNotFound(profile="nobody"), AWS, "(nobody)", "~/.aws/config"),
        (
            botocore.EndpointConnectionError(endpoint_url="http://127.0.0.1:9"),
            LAB,
            "the lab's AWS API does not answer",
            "orchestrate lab up",
        ),
        (
            botocore.EndpointConnectionError(endpoint_url="https://ec2.aws"),
            AWS,
            "https://ec2.aws",
            "check the network",
        ),
    ],
)
def test_an_error_says_what_failed_why_and_what_to_do(
    error: Exception, target: Target, what: str, fix: str
) -> None:
    plain = explain(error, target, "list the hosts")
    assert plain.what.startswith("cannot list the hosts: ")
    assert what in plain.what
    assert fix in plain.fix


def test_the_code_of_aws_stays_with_the_error() -> None:
    assert explain(refused("NoSuchKey"), AWS, "read").code == "NoSuchKey"


def test_the_fleet_s_own_account_is_accepted(session: Session) -> None:
    verify_account(session, ACCOUNT, "us-west-2")


def test_another_account_is_refused_before_anything_happens(stranger: Session) -> None:
    with pytest.raises(AwsError, match="belong to account 999999999999, the fleet to 1234567890"):
        verify_account(stranger, ACCOUNT, "us-west-2")


def test_a_lab_that_is_not_running_says_how_to_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ATTEMPTS", 1)
    with pytest.raises(AwsError, match="orchestrate lab up"):
        verify_account(Session(LAB), ACCOUNT, "us-west-2")


def test_without_credentials_aws_says_how_to_get_some(
    monkeypatch: pytest.MonkeyPatch, bare_environment: Callable[[], None]
) -> None:
    bare_environment()
    with pytest.raises(AwsError, match="no AWS credentials found"):
        verify_account(Session(AWS), ACCOUNT, "us-west-2")


def test_an_unknown_profile_is_named(
    monkeypatch: pytest.MonkeyPatch, bare_environment: Callable[[], None]
) -> None:
    bare_environment()
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(AwsError, match="nobody"):
        verify_account(Session(AWS), ACCOUNT, "us-west-2")


def test_the_lab_ignores_the_caller_s_profile_credentials_and_proxy(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111111111111")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "theirs")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    verify_account(session, ACCOUNT, "us-west-2")


def test_a_client_is_made_once_per_region(session: Session) -> None:
    assert session.ec2("us-west-2") is session.ec2("us-west-2")
    assert session.ec2("us-west-2") is not session.ec2("us-east-1")
