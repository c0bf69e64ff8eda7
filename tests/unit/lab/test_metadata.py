"""The metadata service's answers, as data: who asks for what, and what comes back."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network

import pytest

from orchestrate.lab.identity import Credentials, Identity, Profile
from orchestrate.lab.metadata import TOKEN, TOKEN_PATH, TTL, Request, Response, Tokens, answer

NOW = 1_000_000.0
TOKENS = Tokens(b"secret")
LAUNCHED = datetime(2026, 11, 29, 22, 15, tzinfo=UTC)
IDENTITY = Identity(
    instance_id="i-0123456789abcdef0",
    account="123456789012",
    region="us-west-2",
    zone="us-west-2a",
    image_id="ami-1",
    instance_type="t3.small",
    architecture="x86_64",
    root_device="/dev/xvda",
    reservation_id="r-1",
    launch_index=0,
    launched=LAUNCHED,
    hostname="ip-10-1-0-11.us-west-2.compute.internal",
    public_hostname="",
    private_ip=IPv4Address("10.1.0.11"),
    public_ip=None,
    mac="02:00:00:00:00:01",
    interface_id="eni-1",
    vpc_id="vpc-1",
    vpc_cidr=IPv4Network("10.1.0.0/16"),
    subnet_id="subnet-1",
    subnet_cidr=IPv4Network("10.1.0.0/24"),
    security_groups={"sg-1": "nodes", "sg-2": "ssh"},
    key_name="operator",
    public_key="ssh-ed25519 AAAA operator",
)
PROFILE = Profile(
    "arn:aws:iam::123456789012:instance-profile/node",
    "AIPA1",
    "node-role",
    Credentials("ASIA1", "hidden", "session", LAUNCHED, LAUNCHED + timedelta(hours=6)),
)


def get(path: str, identity: Identity | None = IDENTITY, **headers: str) -> Response:
    token = TOKENS.issue(IDENTITY.instance_id, 60, NOW)
    return answer(Request("GET", path, {TOKEN: token, **headers}), identity, TOKENS, NOW)


def put(path: str = TOKEN_PATH, **headers: str) -> Response:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(Request("PUT", path, given), IDENTITY, TOKENS, NOW)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/latest/meta-data/instance-id", "i-0123456789abcdef0"),
        ("/2009-04-04/meta-data/instance-id", "i-0123456789abcdef0"),
        ("/latest/meta-data/ami-id", "ami-1"),
        ("/latest/meta-data/local-ipv4", "10.1.0.11"),
        ("/latest/meta-data/placement/availability-zone", "us-west-2a"),
        ("/latest/meta-data/placement/region", "us-west-2"),
        ("/latest/meta-data/mac/", "02:00:00:00:00:01"),
        ("/latest/meta-data/network/interfaces/macs/", "02:00:00:00:00:01/"),
        ("/latest/meta-data/network/interfaces/macs/02:00:00:00:00:01/subnet-id", "subnet-1"),
        ("/latest/meta-data/security-groups", "nodes\nssh"),
        ("/latest/meta-data/public-keys/", "0=operator"),
        ("/latest/meta-data/public-keys/0/", "openssh-key"),
        ("/latest/meta-data/public-keys/0/openssh-key", "ssh-ed25519 AAAA operator"),
        ("/latest/meta-data/instance-life-cycle", "on-demand"),
        ("/latest/", "dynamic/\nmeta-data/"),
    ],
)
def test_an_instance_reads_what_it_is(path: str, text: str) -> None:
    found = get(path)
    assert (found.status, found.body.decode()) == (200, text)


@pytest.mark.parametrize(
    "path",
    [
        "/latest/meta-data/public-ipv4",
        "/latest/meta-data/iam/info",
        "/latest/meta-data/tags/instance/",
        "/latest/meta-data/spot/instance-action",
        "/latest/meta-data/instance-id/more",
        "/latest/user-data",
        "/newest/meta-data/",
        "/latest/meta-data/public-keys/1/openssh-key",
    ],
)
def test_what_an_instance_does_not_have_is_not_found(path: str) -> None:
    assert get(path).status == 404


def test_nothing_is_read_without_a_token() -> None:
    request = Request("GET", "/latest/meta-data/instance-id")
    assert answer(request, IDENTITY, TOKENS, NOW).status == 401


def test_an_instance_that_allows_the_first_version_needs_no_token_but_a_good_one_if_any() -> None:
    identity = replace(IDENTITY, token_required=False)
    request = Request("GET", "/latest/meta-data/instance-id")
    assert answer(request, identity, TOKENS, NOW).status == 200
    wrong = replace(request, headers={TOKEN: "wrong"})
    assert answer(wrong, identity, TOKENS, NOW).status == 401


@pytest.mark.parametrize(
    ("token", "status"),
    [
        (TOKENS.issue(IDENTITY.instance_id, 1, NOW), 200),
        (TOKENS.issue(IDENTITY.instance_id, 1, NOW - 1), 401),
        (TOKENS.issue("i-another", 60, NOW), 401),
        (Tokens(b"other").issue(IDENTITY.instance_id, 60, NOW), 401),
        ("9999999999.0", 401),
        ("é", 401),
        ("", 401),
    ],
)
def test_a_token_is_good_for_its_time_and_its_instance(token: str, status: int) -> None:
    request = Request("GET", "/latest/meta-data/instance-id", {TOKEN: token})
    assert answer(request, IDENTITY, TOKENS, NOW).status == status


def test_a_token_is_had_with_put_and_says_how_long_it_lasts() -> None:
    given = put(**{TTL: "60"})
    assert (given.status, given.headers) == (200, {TTL: "60"})
    assert TOKENS.valid(given.body.decode(), IDENTITY.instance_id, NOW + 59)


@pytest.mark.parametrize("ttl", ["", "0", "21601", "-1", "sixty", "²"])
def test_a_token_for_no_time_or_too_long_is_refused(ttl: str) -> None:
    assert put(**{TTL: ttl}).status == 400


def test_a_token_is_not_given_to_a_proxy() -> None:
    assert put(**{TTL: "60", "x-forwarded-for": "10.0.0.9"}).status == 403


@pytest.mark.parametrize(
    ("identity", "status"), [(None, 404), (replace(IDENTITY, service_enabled=False), 403)]
)
def test_strangers_and_instances_without_the_service_get_nothing(
    identity: Identity | None, status: int
) -> None:
    assert get("/latest/meta-data/instance-id", identity).status == status


def test_only_reading_is_possible() -> None:
    assert answer(Request("POST", "/latest/"), IDENTITY, TOKENS, NOW).status == 405


def test_tags_are_shown_where_they_are_allowed() -> None:
    identity = replace(IDENTITY, tags={"Name": "gpu-1", "a=b": "c"})
    assert get("/latest/meta-data/tags/instance/", identity).body == b"Name\na=b"
    assert get("/latest/meta-data/tags/instance/Name", identity).body == b"gpu-1"
    assert get("/latest/meta-data/tags/instance/a=b", identity).body == b"c"


def test_a_public_address_is_shown_once_there_is_one() -> None:
    identity = replace(IDENTITY, public_ip=IPv4Address("198.18.0.10"), public_hostname="ec2-x")
    assert get("/latest/meta-data/public-ipv4", identity).body == b"198.18.0.10"
    macs = "/latest/meta-data/network/interfaces/macs/02:00:00:00:00:01"
    assert get(f"{macs}/ipv4-associations/198.18.0.10", identity).body == b"10.1.0.11"


def test_credentials_of_the_profile_are_a_session_of_its_role() -> None:
    identity = replace(IDENTITY, profile=PROFILE)
    folder = "/latest/meta-data/iam/security-credentials"
    assert get(f"{folder}/", identity).body == b"node-role"
    session = json.loads(get(f"{folder}/node-role", identity).body)
    assert session["Code"] == "Success"
    assert session["AccessKeyId"] == "ASIA1"
    assert session["Expiration"] == "2026-11-30T04:15:00Z"
    info = json.loads(get("/latest/meta-data/iam/info", identity).body)
    assert info["InstanceProfileArn"] == PROFILE.arn


def test_a_spot_instance_reads_when_it_goes() -> None:
    identity = replace(IDENTITY, spot=True, interrupted_at=LAUNCHED)
    found = get("/latest/meta-data/spot/instance-action", identity)
    assert json.loads(found.body) == {"action": "terminate", "time": "2026-11-29T22:15:00Z"}


def test_user_data_comes_as_it_was_given() -> None:
    identity = replace(IDENTITY, user_data=b"\x00#!/bin/sh\n")
    assert get("/latest/user-data", identity).body == b"\x00#!/bin/sh\n"


def test_the_identity_document_is_json() -> None:
    found = get("/latest/dynamic/instance-identity/document")
    document = json.loads(found.body)
    assert document["instanceId"] == IDENTITY.instance_id
    assert document["pendingTime"] == "2026-11-29T22:15:00Z"
    assert found.kind == "application/json"


def test_secrets_are_in_no_representation() -> None:
    shown = repr(replace(IDENTITY, profile=PROFILE, user_data=b"password"))
    assert not {word for word in ("hidden", "session", "password") if word in shown}
