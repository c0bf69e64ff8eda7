"""Faults on demand, ordered by the command line and met by real SDK calls."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError

from tests.lab.cloud import ZONES, Cloud, build
from tests.lab.conftest import Account, LabFolder, started

pytestmark = pytest.mark.lab
ASKING = {
    "autoscaling": "describe_auto_scaling_groups",
    "ec2": "describe_vpcs",
    "efs": "describe_file_systems",
    "iam": "list_roles",
    "route53": "list_hosted_zones",
    "s3": "list_buckets",
    "sts": "get_caller_identity",
}
THROTTLED = {
    "autoscaling": ("Throttling", 400),
    "ec2": ("RequestLimitExceeded", 503),
    "efs": ("ThrottlingException", 400),
    "iam": ("Throttling", 400),
    "route53": ("Throttling", 400),
    "s3": ("SlowDown", 503),
    "sts": ("Throttling", 400),
}


@pytest.fixture(scope="module")
def bad_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabFolder]:
    """A lab of its own: faults strike all accounts."""
    yield from started(tmp_path_factory.mktemp("bad-lab"), "--no-hosts")


@pytest.fixture
def faults(bad_lab: LabFolder) -> Iterator[LabFolder]:
    yield bad_lab
    assert bad_lab.orchestrate("fault", "clear").code == 0


@pytest.fixture
def bad_cloud(faults: LabFolder, account: Account) -> Cloud:
    return build(Account(account.number, faults))


def add(lab: LabFolder, *order: str) -> dict[str, Any]:
    done = lab.orchestrate("fault", "add", *order, "--json")
    assert done.code == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def in_force(lab: LabFolder) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(lab.orchestrate("fault", "list", "--json").stdout)
    return told


def once(lab: LabFolder, service: str) -> Any:
    """A client that never tries again."""
    return boto3.client(  # type: ignore[call-overload]  # any service, by name
        service,
        region_name="us-west-2",
        endpoint_url=lab.record.endpoint,
        aws_access_key_id="123456789012",
        aws_secret_access_key=lab.secret.access_key("123456789012"),
        config=Config(retries={"total_max_attempts": 1}),
    )


def test_a_throttled_service_answers_as_it_does_on_aws(faults: LabFolder) -> None:
    add(faults, "throttle")

    for service, (code, status) in THROTTLED.items():
        with pytest.raises(ClientError) as refused:
            getattr(once(faults, service), ASKING[service])()
        assert refused.value.response["Error"]["Code"] == code
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_a_denied_call_is_refused_in_the_services_own_words(faults: LabFolder) -> None:
    add(faults, "deny")

    for service, asked in ASKING.items():
        with pytest.raises(ClientError, match=r"UnauthorizedOperation|AccessDenied") as refused:
            getattr(once(faults, service), asked)()
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403


def test_a_dropped_connection_has_no_answer_and_the_next_has(faults: LabFolder) -> None:
    add(faults, "drop", "--service", "ec2", "--count", "1")

    with pytest.raises(ConnectionClosedError):
        once(faults, "ec2").describe_vpcs()

    assert once(faults, "ec2").describe_vpcs()["Vpcs"]
    assert in_force(faults) == []


def test_a_call_whose_answer_is_lost_is_done_once(bad_cloud: Cloud, faults: LabFolder) -> None:
    lost = add(faults, "lose", "--service", "ec2")

    made = bad_cloud.ec2.create_security_group(
        GroupName="lost", Description="lost", VpcId=bad_cloud.vpc
    )["GroupId"]
    rule = {
        "IpProtocol": "tcp",
        "FromPort": 22,
        "ToPort": 22,
        "IpRanges": [{"CidrIp": "10.0.0.0/8"}],
    }
    bad_cloud.ec2.authorize_security_group_ingress(GroupId=made, IpPermissions=[rule])
    bad_cloud.ec2.delete_security_group(GroupId=made)

    (listed,) = in_force(faults)
    assert (listed["name"], listed["struck"]) == (lost["name"], 3)
    told = json.loads(faults.orchestrate("status", "--json").stdout)["api"]
    assert told["came_twice"] == 0, "it was asked for"


def test_an_unavailable_service_leaves_the_others_alone(faults: LabFolder) -> None:
    add(faults, "unavailable", "--service", "s3")

    with pytest.raises(ClientError) as refused:
        once(faults, "s3").list_buckets()

    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
    assert once(faults, "iam").list_roles()["Roles"] == []


def test_a_late_answer_is_a_right_answer(faults: LabFolder) -> None:
    slow = add(faults, "slow", "--by", "0.2", "--action", "Describe*", "--count", "1")

    assert once(faults, "ec2").describe_vpcs()["Vpcs"]
    assert slow["delay_s"] == 0.2
    assert in_force(faults) == []


def test_faults_are_listed_with_what_they_struck_and_cleared_by_name(faults: LabFolder) -> None:
    first = add(faults, "unavailable", "--service", "ec2", "--rate", "0.5", "--for", "600")
    second = add(faults, "throttle", "--service", "iam")

    refused = 0
    for _ in range(20):
        try:
            once(faults, "ec2").describe_vpcs()
        except ClientError:
            refused += 1
    listed = {one["name"]: one for one in in_force(faults)}

    assert 0 < refused < 20
    assert listed[first["name"]]["struck"] == refused
    assert listed[first["name"]]["seen"] == 20
    assert 0 < listed[first["name"]]["left_s"] <= 600
    assert faults.orchestrate("fault", "clear", first["name"]).code == 0
    assert [one["name"] for one in in_force(faults)] == [second["name"]]


def test_a_wrong_name_lists_the_right_ones(faults: LabFolder) -> None:
    known = add(faults, "throttle")["name"]

    refused = faults.orchestrate("fault", "clear", "nonsense")

    assert refused.code == 1
    assert "no such fault: nonsense" in refused.stderr
    assert known in refused.stderr


def test_a_lab_without_hosts_says_so_to_who_wants_one_to_hang(faults: LabFolder) -> None:
    refused = faults.orchestrate("fault", "add", "hang", "bastion")

    assert refused.code == 1
    assert "no real hosts" in refused.stderr


def test_a_type_without_capacity_in_a_zone_is_launched_elsewhere_only(
    bad_cloud: Cloud, faults: LabFolder
) -> None:
    add(faults, "no-capacity", "--type", "t3.*", "--in", ZONES[0])

    with pytest.raises(ClientError) as refused:
        bad_cloud.run()

    assert refused.value.response["Error"]["Code"] == "InsufficientInstanceCapacity"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
    assert bad_cloud.run(SubnetId=bad_cloud.subnets[1])
    assert bad_cloud.run(InstanceType="c5.large")


def test_a_group_launches_where_there_is_capacity(bad_cloud: Cloud, faults: LabFolder) -> None:
    add(faults, "no-capacity", "--in", ZONES[0])

    bad_cloud.group(bad_cloud.launch_template(), 4)

    zones = {one["Placement"]["AvailabilityZone"] for one in bad_cloud.instances()}
    assert zones == set(ZONES[1:])
    assert len(bad_cloud.members()) == 4


def test_a_group_that_cannot_launch_stays_says_why_and_recovers(
    bad_cloud: Cloud, faults: LabFolder
) -> None:
    bad_cloud.group(bad_cloud.launch_template(), 1)
    before = bad_cloud.members()
    add(faults, "launch-failure", "nodes")

    bad_cloud.autoscaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=3)

    assert bad_cloud.members() == before
    newest = activities(bad_cloud)[0]
    assert newest["StatusCode"] == "Failed"
    assert "Launching EC2 instance failed" in newest["StatusMessage"]
    faults.orchestrate("fault", "clear")
    until(lambda: len(bad_cloud.members()) == 3)
    assert activities(bad_cloud)[0]["StatusCode"] == "Successful"


def activities(cloud: Cloud) -> list[dict[str, Any]]:
    found = cloud.autoscaling.describe_scaling_activities(AutoScalingGroupName="nodes")
    return list(found["Activities"])


def until(happened: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.1)
