"""The state bucket against a real S3 API."""

import json

import pytest
from moto.s3.models import s3_backends

from orchestrate.aws.bucket_settings import covers, expire_old_versions, tls_only
from orchestrate.aws.session import Session
from orchestrate.aws.state_bucket import (
    Lock,
    StateBucket,
    bootstrap,
    locks,
    parse_lock,
    read_state,
    release,
    stacks,
    strange,
)
from orchestrate.errors import AwsError, StateLocked
from orchestrate.runs import resume
from tests.hostile import HOSTILE

ACCOUNT = "123456789012"
WEST = StateBucket("deeplab-terraform-state-123456789012", "us-west-2", ACCOUNT)
EAST = StateBucket("deeplab-terraform-state-123456789012", "us-east-1", ACCOUNT)


def put(session: Session, key: str, text: str) -> None:
    session.s3(WEST.region).put_object(Bucket=WEST.name, Key=key, Body=text.encode())


def held(id_: str) -> str:
    return json.dumps(
        {
            "ID": id_,
            "Who": "ada@laptop",
            "Operation": "OperationTypeApply",
            "Created": "2026-11-29T22:00:00Z",
        }
    )


@pytest.mark.parametrize("bucket", [WEST, EAST], ids=lambda bucket: bucket.region)
def test_the_first_bootstrap_makes_everything_and_the_second_nothing(
    session: Session, bucket: StateBucket
) -> None:
    first = bootstrap(session, bucket)
    assert {step.what for step in first if step.changed} == {step.what for step in first}
    second = bootstrap(session, bucket)
    assert [step.what for step in second if step.changed] == []
    assert len(second) == len(first) == 7


def test_the_bucket_is_private_encrypted_versioned_and_tls_only(session: Session) -> None:
    bootstrap(session, WEST)
    s3 = session.s3(WEST.region)
    assert s3.get_bucket_location(Bucket=WEST.name)["LocationConstraint"] == "us-west-2"
    assert s3.get_bucket_versioning(Bucket=WEST.name)["Status"] == "Enabled"
    blocked = s3.get_public_access_block(Bucket=WEST.name)["PublicAccessBlockConfiguration"]
    assert all(blocked.values())
    policy = json.loads(s3.get_bucket_policy(Bucket=WEST.name)["Policy"])
    assert policy["Statement"][0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_a_setting_that_drifted_is_put_right_alone(session: Session) -> None:
    bootstrap(session, WEST)
    session.s3(WEST.region).put_bucket_versioning(
        Bucket=WEST.name, VersioningConfiguration={"Status": "Suspended"}
    )
    assert [step.what for step in bootstrap(session, WEST) if step.changed] == ["versioning"]


def test_a_policy_statement_somebody_else_added_survives(session: Session) -> None:
    bootstrap(session, WEST)
    s3 = session.s3(WEST.region)
    theirs = {
        "Sid": "Audit",
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
        "Action": "s3:GetObject",
        "Resource": f"arn:aws:s3:::{WEST.name}/*",
    }
    s3.put_bucket_policy(
        Bucket=WEST.name, Policy=json.dumps({"Version": "2012-10-17", "Statement": [theirs]})
    )
    assert [step.what for step in bootstrap(session, WEST) if step.changed] == ["TLS-only policy"]
    policy = json.loads(s3.get_bucket_policy(Bucket=WEST.name)["Policy"])
    assert [one["Sid"] for one in policy["Statement"]] == ["Audit", "OnlyOverTls"]


def test_a_bucket_of_another_account_is_refused(session: Session, stranger: Session) -> None:
    stranger.s3("us-east-1").create_bucket(Bucket=WEST.name)
    with pytest.raises(AwsError, match=r"exists, but account 123456789012 may not use it"):
        bootstrap(session, WEST)


def test_a_bucket_in_another_region_is_refused_with_the_region(session: Session) -> None:
    bootstrap(session, EAST)
    with pytest.raises(AwsError, match=r"is in us-east-1, fleet\.yaml says us-west-2"):
        bootstrap(session, WEST)


def test_state_is_read_as_it_was_written_and_none_where_nothing_was_applied(
    session: Session,
) -> None:
    bootstrap(session, WEST)
    put(session, "global.tfstate", '{"serial": 1}')
    assert read_state(session, WEST, "global") == b'{"serial": 1}'
    assert read_state(session, WEST, "mesh") is None
    assert stacks(session, WEST) == ["global"]


def test_reading_before_bootstrap_says_to_bootstrap(session: Session) -> None:
    with pytest.raises(AwsError, match="orchestrate bootstrap"):
        read_state(session, WEST, "global")
    with pytest.raises(AwsError, match="orchestrate bootstrap"):
        locks(session, WEST)


def test_locks_say_who_holds_which_stack_since_when(session: Session) -> None:
    bootstrap(session, WEST)
    put(session, "mesh.tfstate.tflock", held("one"))
    assert locks(session, WEST) == [
        Lock("mesh", "one", "ada@laptop", "Apply", "2026-11-29T22:00:00Z")
    ]
    assert stacks(session, WEST) == []


@pytest.mark.parametrize(
    ("created", "since"),
    [
        ("2026-11-29T22:15:04.847918004Z", "2026-11-29 22:15:04 UTC"),
        ("2026-11-29T22:15:04Z", "2026-11-29 22:15:04 UTC"),
        ("yesterday", "yesterday"),
        ("", ""),
    ],
)
def test_since_when_is_told_to_the_second(created: str, since: str) -> None:
    assert Lock("mesh", "one", "ada@laptop", "Apply", created).since == since


def test_a_lock_is_released_by_its_id_only(session: Session) -> None:
    bootstrap(session, WEST)
    put(session, "mesh.tfstate.tflock", held("one"))
    (lock,) = locks(session, WEST)
    put(session, "mesh.tfstate.tflock", held("two"))
    with pytest.raises(StateLocked, match="held by ada@laptop"):
        release(session, WEST, lock)
    (current,) = locks(session, WEST)
    release(session, WEST, current)
    assert locks(session, WEST) == []
    release(session, WEST, current)


def test_a_lock_that_is_not_json_still_names_its_stack() -> None:
    assert parse_lock("mesh.tfstate.tflock", b"\0").stack == "mesh"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_a_lock_says_is_told_on_a_line(text: str) -> None:
    said = {"ID": text, "Who": text, "Operation": text, "Created": text}
    lock = parse_lock("global.tfstate.tflock", json.dumps(said).encode())
    assert all(part.isprintable() for part in (lock.id, lock.who, lock.operation, lock.created))
    assert resume.moment(lock.created) is None
    assert parse_lock("global.tfstate.tflock", json.dumps(text).encode()).who == "unknown"


@pytest.mark.parametrize("text", ["[]", "3", "null", "[" * 100_000, "{", '{"ID": [1], "Who": {}}'])
def test_a_lock_of_another_shape_still_names_its_stack(text: str) -> None:
    assert parse_lock("global.tfstate.tflock", text.encode()).stack == "global"


def test_a_lock_s_time_that_there_is_none_is_none() -> None:
    assert resume.moment("2026-02-31T25:00:00Z") is None


def test_an_object_whose_key_is_no_name_is_no_stack(session: Session) -> None:
    bootstrap(session, WEST)
    odd = ["../../.ssh/config", "a b", "a/b", "-rf", "$(id)", "cpu\x1b[2J", "[red]"]
    for name in ("global", *odd):
        put(session, f"{name}.tfstate", "{}")
        put(session, f"{name}.tfstate.tflock", held("1"))
    assert stacks(session, WEST) == ["global"]
    assert [lock.stack for lock in locks(session, WEST)] == ["global"]
    assert strange(session, WEST) == sorted(f"{name}.tfstate" for name in odd)


def test_more_than_a_page_of_stacks_is_listed(session: Session) -> None:
    bootstrap(session, WEST)
    names = [f"cluster-{number:04}" for number in range(1001)]
    for name in names:
        s3_backends[ACCOUNT]["aws"].put_object(WEST.name, f"{name}.tfstate", b"{}")
    assert stacks(session, WEST) == names


@pytest.mark.parametrize(
    ("current", "wanted", "same"),
    [
        ({"Status": "Enabled"}, {"Status": "Enabled"}, True),
        ({"Status": "Enabled", "MFADelete": "Disabled"}, {"Status": "Enabled"}, True),
        ({}, {"Status": "Enabled"}, False),
        ({"Rules": [{"a": 1, "b": 2}]}, {"Rules": [{"a": 1}]}, True),
        ({"Rules": [{"a": 1}, {"a": 2}]}, {"Rules": [{"a": 1}]}, False),
        ({"Rules": [{"a": 2}]}, {"Rules": [{"a": 1}]}, False),
    ],
)
def test_what_aws_adds_is_no_difference(current: object, wanted: object, same: bool) -> None:
    assert covers(current, wanted) is same


def test_our_statement_and_rule_are_replaced_in_place_of_doubled() -> None:
    policy = tls_only("b", {})
    assert tls_only("b", policy) == policy
    rules = expire_old_versions("b", {})
    assert expire_old_versions("b", rules) == rules
