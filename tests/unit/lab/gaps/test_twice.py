"""What can be made or taken away once is refused the second time, in AWS's own words."""

from collections.abc import Callable, Mapping
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from orchestrate.lab.gaps.route53 import refused
from tests.unit.conftest import ACCOUNT, SECRET

ONCE = Config(retries={"total_max_attempts": 1})
ZONE = {"VPCRegion": "us-west-2"}
TRUST = "{}"
ALLOWED = '{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}'
POLICY = f'{{"Version": "2012-10-17", "Statement": [{ALLOWED}]}}'
GROUP = {"AutoScalingGroupName": "nodes", "MinSize": 0, "MaxSize": 9}


class Cloud:
    """Clients that never try again, and a VPC."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self.ec2, self.iam = self._client("ec2"), self._client("iam")
        self.route53, self.autoscaling = self._client("route53"), self._client("autoscaling")
        self.vpc = self.made_vpc("10.0.0.0/16")
        made = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock="10.0.0.0/24")
        self.subnet = made["Subnet"]["SubnetId"]

    def _client(self, service: str) -> Any:
        return boto3.client(  # type: ignore[call-overload]  # any service, by name
            service,
            region_name="us-west-2",
            endpoint_url=self._endpoint,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key=SECRET.access_key(ACCOUNT),
            config=ONCE,
        )

    def made_vpc(self, cidr: str) -> str:
        return str(self.ec2.create_vpc(CidrBlock=cidr)["Vpc"]["VpcId"])

    def gateway(self) -> None:
        made = self.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        self.ec2.attach_internet_gateway(InternetGatewayId=made, VpcId=self.vpc)

    def table(self) -> None:
        made = self.ec2.create_route_table(VpcId=self.vpc)["RouteTable"]["RouteTableId"]
        self.ec2.associate_route_table(RouteTableId=made, SubnetId=self.subnet)

    def peering(self) -> None:
        self.ec2.create_vpc_peering_connection(VpcId=self.vpc, PeerVpcId=self.other)

    def unpeering(self) -> None:
        (one,) = self.ec2.describe_vpc_peering_connections()["VpcPeeringConnections"]
        self.ec2.delete_vpc_peering_connection(VpcPeeringConnectionId=one["VpcPeeringConnectionId"])

    def endpoint(self) -> None:
        tables = self.ec2.describe_route_tables()["RouteTables"]
        mine = [one["RouteTableId"] for one in tables if one["VpcId"] == self.vpc]
        name = "com.amazonaws.us-west-2.s3"
        self.ec2.create_vpc_endpoint(VpcId=self.vpc, ServiceName=name, RouteTableIds=mine)

    @property
    def other(self) -> str:
        found = self.ec2.describe_vpcs(Filters=[{"Name": "cidr", "Values": ["10.9.0.0/16"]}])
        return str(found["Vpcs"][0]["VpcId"] if found["Vpcs"] else self.made_vpc("10.9.0.0/16"))

    def zone(self, reference: str) -> str:
        vpc = {**ZONE, "VPCId": self.vpc}
        made = self.route53.create_hosted_zone(Name="a.test", CallerReference=reference, VPC=vpc)
        return str(made["HostedZone"]["Id"])

    @property
    def only_zone(self) -> str:
        zones = self.route53.list_hosted_zones()["HostedZones"]
        return str(zones[0]["Id"] if zones else self.zone("first"))

    def record(self, action: str, value: str = "10.0.0.1", name: str = "h.a.test") -> None:
        values = [{"Value": value}]
        record = {"Name": name, "Type": "A", "TTL": 60, "ResourceRecords": values}
        changes = [{"Action": action, "ResourceRecordSet": record}]
        self.route53.change_resource_record_sets(
            HostedZoneId=self.only_zone, ChangeBatch={"Changes": changes}
        )

    def see(self, action: str) -> None:
        vpc = {**ZONE, "VPCId": self.other}
        getattr(self.route53, action)(HostedZoneId=self.only_zone, VPC=vpc)

    def unprofile(self) -> None:
        self.iam.remove_role_from_instance_profile(InstanceProfileName="p", RoleName="r")

    def group(self, version: str = "1") -> None:
        template = {"LaunchTemplateName": "nodes", "Version": version}
        self.autoscaling.create_auto_scaling_group(
            **GROUP, VPCZoneIdentifier=self.subnet, LaunchTemplate=template
        )

    def template(self) -> None:
        owners, kind = ["136693071363"], {"Name": "architecture", "Values": ["x86_64"]}
        image = self.ec2.describe_images(Owners=owners, Filters=[kind])["Images"][0]["ImageId"]
        data = {"ImageId": image, "InstanceType": "t3.small", "UserData": "b25l"}
        self.ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=data)
        again = {**data, "UserData": "dHdv"}
        self.ec2.create_launch_template_version(
            LaunchTemplateName="nodes", LaunchTemplateData=again
        )


@pytest.fixture
def cloud(endpoint: str) -> Cloud:
    return Cloud(endpoint)


def _seen(cloud: Cloud) -> None:
    cloud.see("associate_vpc_with_hosted_zone")


def _unseen(cloud: Cloud) -> None:
    cloud.see("disassociate_vpc_from_hosted_zone")


def _seen_and_unseen(cloud: Cloud) -> None:
    _seen(cloud)
    _unseen(cloud)


def _recorded_and_deleted(cloud: Cloud) -> None:
    cloud.record("CREATE")
    cloud.record("DELETE")


def _grouped(cloud: Cloud) -> None:
    cloud.template()
    cloud.group()


def _peered_and_not(cloud: Cloud) -> None:
    cloud.peering()
    cloud.unpeering()


def _profiled_and_not(cloud: Cloud) -> None:
    cloud.iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST)
    cloud.iam.create_instance_profile(InstanceProfileName="p")
    cloud.iam.add_role_to_instance_profile(InstanceProfileName="p", RoleName="r")
    cloud.unprofile()


TWICE: Mapping[str, tuple[Callable[[Cloud], Any], Callable[[Cloud], Any], str]] = {
    "internet gateway of a VPC": (Cloud.gateway, Cloud.gateway, "InvalidParameterValue"),
    "route table of a subnet": (Cloud.table, Cloud.table, "Resource.AlreadyAssociated"),
    "peering": (Cloud.peering, Cloud.peering, "VpcPeeringConnectionAlreadyExists"),
    "gateway endpoint": (Cloud.endpoint, Cloud.endpoint, "RouteAlreadyExists"),
    "auto scaling group": (_grouped, Cloud.group, "AlreadyExists"),
    "zone by its caller's reference": (
        lambda cloud: cloud.zone("one"),
        lambda cloud: cloud.zone("one"),
        "HostedZoneAlreadyExists",
    ),
    "private zone of a name": (
        lambda cloud: cloud.zone("one"),
        lambda cloud: cloud.zone("two"),
        "ConflictingDomainExists",
    ),
    "association of a zone": (_seen, _seen, "ConflictingDomainExists"),
    "record with another value": (
        lambda cloud: cloud.record("CREATE"),
        lambda cloud: cloud.record("CREATE", "10.0.0.2"),
        "InvalidChangeBatch",
    ),
    "record in another spelling": (
        lambda cloud: cloud.record("CREATE"),
        lambda cloud: cloud.record("CREATE", name="H.a.test."),
        "InvalidChangeBatch",
    ),
    "delete of a record": (
        _recorded_and_deleted,
        lambda cloud: cloud.record("DELETE"),
        "InvalidChangeBatch",
    ),
    "delete of an association of a zone": (
        _seen_and_unseen,
        _unseen,
        "VPCAssociationNotFound",
    ),
    "delete of a peering": (_peered_and_not, Cloud.unpeering, "InvalidStateTransition"),
    "delete of a role from a profile": (_profiled_and_not, Cloud.unprofile, "NoSuchEntity"),
}


@pytest.mark.parametrize("case", TWICE)
def test_the_second_time_is_refused(cloud: Cloud, case: str) -> None:
    first, second, code = TWICE[case]
    first(cloud)

    with pytest.raises(ClientError) as refusal:
        second(cloud)

    assert refusal.value.response["Error"]["Code"] == code


def test_what_was_taken_away_can_be_made_again(cloud: Cloud) -> None:
    cloud.record("CREATE")
    cloud.record("CREATE", name="z.a.test")
    cloud.record("DELETE")
    cloud.record("CREATE")
    cloud.peering()
    cloud.unpeering()
    cloud.peering()
    _seen(cloud)
    _unseen(cloud)
    _seen(cloud)


def test_a_policy_goes_once_nothing_has_it_however_often_it_was_attached(cloud: Cloud) -> None:
    cloud.iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST)
    arn = cloud.iam.create_policy(PolicyName="p", PolicyDocument=POLICY)["Policy"]["Arn"]
    for _ in range(2):
        cloud.iam.attach_role_policy(RoleName="r", PolicyArn=arn)
    with pytest.raises(ClientError, match="DeleteConflict"):
        cloud.iam.delete_policy(PolicyArn=arn)

    cloud.iam.detach_role_policy(RoleName="r", PolicyArn=arn)

    cloud.iam.delete_policy(PolicyArn=arn)


@pytest.mark.parametrize("version", ["1", "2", "$Latest"])
def test_a_group_launches_from_any_version_of_its_template(cloud: Cloud, version: str) -> None:
    cloud.template()
    cloud.group(version)

    cloud.autoscaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=2)

    (group,) = cloud.autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    first, _ = (one["InstanceId"] for one in group["Instances"])
    said = cloud.ec2.describe_instance_attribute(InstanceId=first, Attribute="userData")
    assert said["UserData"]["Value"] == ("b25l" if version == "1" else "dHdv")


def test_user_data_that_is_not_base_64_is_refused_in_any_version(cloud: Cloud) -> None:
    cloud.template()

    with pytest.raises(ClientError, match="Invalid BASE64"):
        cloud.ec2.create_launch_template_version(
            LaunchTemplateName="nodes", LaunchTemplateData={"UserData": "#!/bin/sh"}
        )


def _change(action: str, name: str, kind: str = "A", **more: str) -> dict[str, Any]:
    return {"Action": action, "ResourceRecordSet": {"Name": name, "Type": kind, **more}}


HERE = [{"Name": "h.a.test.", "Type": "A"}, {"Name": "\\052.a.test.", "Type": "A"}]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([_change("CREATE", "n.a.test")], []),
        ([_change("UPSERT", "h.a.test")], []),
        ([_change("DELETE", "h.a.test"), _change("CREATE", "h.a.test", "CNAME")], []),
        ([_change("CREATE", "h.a.test", "TXT")], []),
        ([_change("CREATE", "h.a.test", SetIdentifier="blue")], []),
        ([_change("CREATE", "*.a.test")], ["already exists"]),
        ([_change("CREATE", "n.a.test"), _change("CREATE", "N.a.test.")], ["already exists"]),
        ([_change("CREATE", "h.a.test", "CNAME")], ["conflicting RRSet of type A"]),
        ([_change("DELETE", "n.a.test"), _change("CREATE", "h.a.test")], ["not found", "exists"]),
    ],
)
def test_a_batch_is_held_against_what_is_there_and_itself(
    changes: list[dict[str, Any]], said: list[str]
) -> None:
    found = refused(HERE, changes)

    assert len(found) == len(said)
    assert all(words in line for words, line in zip(said, found, strict=True))
