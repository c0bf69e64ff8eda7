"""Accounts, zones, file systems, and what the lab does not do."""

import pytest

from tests.lab.cloud import Cloud
from tests.lab.conftest import Account

pytestmark = pytest.mark.lab


def test_the_access_key_is_the_account(account: Account) -> None:
    assert account.client("sts").get_caller_identity()["Account"] == account.number


def test_accounts_do_not_see_each_other(cloud: Cloud) -> None:
    stranger = Account("999999999999", cloud.account.lab)

    vpcs = stranger.client("ec2").describe_vpcs()["Vpcs"]

    assert cloud.vpc not in [vpc["VpcId"] for vpc in vpcs]


def test_a_zone_made_for_a_vpc_is_private_and_takes_a_second_vpc(cloud: Cloud) -> None:
    route53 = cloud.account.client("route53")
    other = cloud.account.client("ec2", "eu-west-1").create_vpc(CidrBlock="10.2.0.0/16")["Vpc"]
    zone = route53.create_hosted_zone(
        Name="us-west.example.net",
        CallerReference="1",
        VPC={"VPCRegion": "us-west-2", "VPCId": cloud.vpc},
    )["HostedZone"]

    route53.associate_vpc_with_hosted_zone(
        HostedZoneId=zone["Id"], VPC={"VPCRegion": "eu-west-1", "VPCId": other["VpcId"]}
    )

    found = route53.get_hosted_zone(Id=zone["Id"])
    assert found["HostedZone"]["Config"]["PrivateZone"] is True
    assert {vpc["VPCId"] for vpc in found["VPCs"]} == {cloud.vpc, other["VpcId"]}


def test_backups_of_a_file_system_are_switched_on_and_off(account: Account) -> None:
    efs = account.client("efs")
    system = efs.create_file_system(CreationToken="home")["FileSystemId"]

    for status in ("ENABLED", "DISABLED"):
        efs.put_backup_policy(FileSystemId=system, BackupPolicy={"Status": status})
        described = efs.describe_backup_policy(FileSystemId=system)
        assert described["BackupPolicy"] == {"Status": status}


@pytest.mark.parametrize(
    ("service", "operation"),
    [("ec2", "describe_fast_launch_images"), ("autoscaling", "describe_adjustment_types")],
)
def test_what_the_lab_does_not_do_is_said_at_once(
    account: Account, service: str, operation: str
) -> None:
    client = account.client(service)

    with pytest.raises(client.exceptions.ClientError, match="The lab does not do") as refused:
        getattr(client, operation)()

    answer = refused.value.response["ResponseMetadata"]
    assert (answer["HTTPStatusCode"], answer["RetryAttempts"]) == (501, 0)
