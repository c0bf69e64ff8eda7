"""Keys that the lab's own IAM and STS give out: good for whom, how long, and with what."""

import json
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.sts.models import sts_backends

from tests.unit.conftest import ACCOUNT, SECRET
from tests.unit.lab.auth.test_strangers import UNKNOWN, client, refused

ROLE = f"arn:aws:iam::{ACCOUNT}:role/node"


@pytest.fixture
def session(endpoint: str) -> dict[str, str]:
    """A session of a role, as clients are given it."""
    iam = client(endpoint, "iam")
    iam.create_role(RoleName="node", AssumeRolePolicyDocument="{}")
    told = client(endpoint, "sts").assume_role(RoleArn=ROLE, RoleSessionName="one")
    keys = told["Credentials"]
    return {
        "aws_access_key_id": keys["AccessKeyId"],
        "aws_secret_access_key": keys["SecretAccessKey"],
        "aws_session_token": keys["SessionToken"],
    }


def held(session: dict[str, str]) -> Any:
    backend: Any = sts_backends[ACCOUNT]["aws"]
    return backend.get_assumed_role_from_access_key(session["aws_access_key_id"])


def test_a_session_is_its_role(endpoint: str, session: dict[str, str]) -> None:
    told = client(endpoint, "sts", **session).get_caller_identity()
    assert told["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/node/one"


@pytest.mark.parametrize("token", [None, "", "other"])
def test_a_session_is_nothing_without_its_token(
    endpoint: str, session: dict[str, str], token: str | None
) -> None:
    without = {**session, "aws_session_token": token}
    assert refused(endpoint, "sts", **without) == ("InvalidClientTokenId", 403)


@pytest.mark.parametrize(
    ("service", "code"),
    [
        ("sts", ("ExpiredToken", 403)),
        ("ec2", ("RequestExpired", 400)),
        ("s3", ("ExpiredToken", 400)),
        ("efs", ("ExpiredTokenException", 403)),
    ],
)
def test_a_session_that_has_run_out_opens_nothing(
    endpoint: str, session: dict[str, str], service: str, code: tuple[str, int]
) -> None:
    held(session).expiration -= timedelta(days=1)
    assert refused(endpoint, service, **session) == code


def test_a_session_of_an_instance_ends_with_it(endpoint: str, session: dict[str, str]) -> None:
    ec2 = client(endpoint, "ec2")
    image = ec2.describe_images()["Images"][0]["ImageId"]
    made = ec2.run_instances(ImageId=image, InstanceType="t3.small", MinCount=1, MaxCount=1)
    name = made["Instances"][0]["InstanceId"]
    from orchestrate.lab.identities import find_instance

    held(session).lab_instance = find_instance("us-west-2", name)
    assert client(endpoint, "sts", **session).get_caller_identity()

    ec2.terminate_instances(InstanceIds=[name])
    assert refused(endpoint, "sts", **session) == ("ExpiredToken", 403)


def test_a_user_is_itself_until_its_key_is_taken_back(endpoint: str) -> None:
    iam = client(endpoint, "iam")
    iam.create_user(UserName="ada")
    key = iam.create_access_key(UserName="ada")["AccessKey"]
    own = {
        "aws_access_key_id": key["AccessKeyId"],
        "aws_secret_access_key": key["SecretAccessKey"],
    }
    assert client(endpoint, "sts", **own).get_caller_identity()["Arn"].endswith(":user/ada")

    iam.update_access_key(UserName="ada", AccessKeyId=key["AccessKeyId"], Status="Inactive")
    assert refused(endpoint, "sts", **own) == UNKNOWN["sts"]
    iam.update_access_key(UserName="ada", AccessKeyId=key["AccessKeyId"], Status="Active")
    iam.delete_access_key(UserName="ada", AccessKeyId=key["AccessKeyId"])
    assert refused(endpoint, "sts", **own) == UNKNOWN["sts"]


ELSEWHERE = "999999999999"


def trust(principal: object, effect: str = "Allow") -> str:
    statement = {"Effect": effect, "Principal": principal, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.mark.parametrize(
    ("policy", "may"),
    [
        (trust({"AWS": f"arn:aws:iam::{ACCOUNT}:root"}), True),
        (trust({"AWS": ["111111111111", ACCOUNT]}), True),
        (trust({"AWS": "*"}), True),
        (trust({"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Deny"), False),
        (trust({"AWS": "111111111111"}), False),
        (trust({"Service": "ec2.amazonaws.com"}), False),
        ("{}", False),
    ],
)
def test_a_role_of_another_account_is_assumed_by_whom_it_trusts(
    endpoint: str, session: dict[str, str], policy: str, may: bool
) -> None:
    """A host of one account was whoever it liked in all others."""
    there = {
        "aws_access_key_id": ELSEWHERE,
        "aws_secret_access_key": SECRET.access_key(ELSEWHERE),
    }
    iam = client(endpoint, "iam", **there)
    arn = iam.create_role(RoleName="theirs", AssumeRolePolicyDocument=policy)["Role"]["Arn"]
    sts = client(endpoint, "sts", **session)
    if may:
        assert sts.assume_role(RoleArn=arn, RoleSessionName="me")["Credentials"]
        return
    with pytest.raises(ClientError, match="AccessDenied"):
        sts.assume_role(RoleArn=arn, RoleSessionName="me")


@pytest.mark.parametrize(
    "arn", [f"{ROLE}s", f"arn:aws:iam::{ELSEWHERE}:role/node", "role/node" * 3]
)
def test_a_role_that_is_not_there_is_nobody_s(
    endpoint: str, session: dict[str, str], arn: str
) -> None:
    with pytest.raises(ClientError, match="AccessDenied"):
        client(endpoint, "sts", **session).assume_role(RoleArn=arn, RoleSessionName="me")
