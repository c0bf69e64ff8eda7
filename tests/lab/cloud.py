"""A small network and a launch template in a lab's account, for tests to launch into."""

from dataclasses import dataclass
from typing import Any

from tests.lab.conftest import Account

ZONES = ("us-west-2a", "us-west-2b", "us-west-2c")
DEBIAN = "136693071363"


@dataclass(frozen=True)
class Cloud:
    """What was made: `subnets` are one per zone, in the order of ZONES."""

    account: Account
    vpc: str
    subnets: tuple[str, ...]
    image: str
    security_group: str

    @property
    def ec2(self) -> Any:
        return self.account.client("ec2")

    @property
    def autoscaling(self) -> Any:
        return self.account.client("autoscaling")

    def run(self, **options: Any) -> dict[str, Any]:
        """One running instance in the first subnet."""
        launch = {
            "ImageId": self.image,
            "InstanceType": "t3.small",
            "SubnetId": self.subnets[0],
            "MinCount": 1,
            "MaxCount": 1,
        }
        return dict(self.ec2.run_instances(**{**launch, **options})["Instances"][0])

    def instances(self, **wanted: Any) -> list[dict[str, Any]]:
        """Every instance that is not terminated, or those with these ids."""
        pages = self.ec2.get_paginator("describe_instances").paginate(**wanted)
        found = [
            one for page in pages for group in page["Reservations"] for one in group["Instances"]
        ]
        return [one for one in found if wanted or one["State"]["Name"] != "terminated"]

    def instance(self, instance_id: str) -> dict[str, Any]:
        return self.instances(InstanceIds=[instance_id])[0]

    def launch_template(self, **data: Any) -> str:
        made = self.ec2.create_launch_template(
            LaunchTemplateName="nodes",
            LaunchTemplateData={"ImageId": self.image, "InstanceType": "c5.9xlarge", **data},
        )
        return str(made["LaunchTemplate"]["LaunchTemplateId"])

    def group(self, template: str, minimum: int, **options: Any) -> None:
        """An auto scaling group `nodes` over all subnets."""
        source = {"LaunchTemplate": {"LaunchTemplateId": template, "Version": "1"}}
        self.autoscaling.create_auto_scaling_group(
            AutoScalingGroupName="nodes",
            MinSize=minimum,
            MaxSize=20,
            VPCZoneIdentifier=",".join(self.subnets),
            **({} if "MixedInstancesPolicy" in options else source),
            **options,
        )

    def members(self) -> list[str]:
        described = self.autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=["nodes"])
        return [one["InstanceId"] for one in described["AutoScalingGroups"][0]["Instances"]]


def build(account: Account) -> Cloud:
    """A VPC 10.1.0.0/16 with a /24 per zone."""
    ec2 = account.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnets = tuple(
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.1.{number}.0/24", AvailabilityZone=zone)[
            "Subnet"
        ]["SubnetId"]
        for number, zone in enumerate(ZONES)
    )
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)
    return Cloud(account, vpc, subnets, newest_debian(ec2), group["GroupId"])


def newest_debian(ec2: Any) -> str:
    """As a fleet finds its source image: newest of the vendor with a name like this."""
    filters = [{"Name": "name", "Values": ["debian-12-amd64-*"]}]
    images = ec2.describe_images(Owners=[DEBIAN], Filters=filters)["Images"]
    return str(max(images, key=lambda image: image["CreationDate"])["ImageId"])
