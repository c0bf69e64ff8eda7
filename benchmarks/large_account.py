"""An account with thousands of instances, made and listed over an endpoint as SDKs do."""

from typing import Any

import boto3

GROUPS = 30
INSTANCES = 2000
REGION = "us-west-2"
ACCOUNT = "100000000001"


class LargeAccount:
    """One account of an endpoint; nothing is in it before `fill`."""

    def __init__(self, endpoint: str, key: str) -> None:
        self._endpoint, self._key = endpoint, key  # the secret one, of ACCOUNT

    def fill(self) -> None:
        """INSTANCES instances in GROUPS auto scaling groups, in three subnets of one network."""
        ec2 = self._client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.1.{16 * number}.0/20")["Subnet"]["SubnetId"]
            for number in range(3)
        ]
        image = ec2.describe_images()["Images"][0]["ImageId"]
        ec2.create_launch_template(
            LaunchTemplateName="nodes",
            LaunchTemplateData={"ImageId": image, "InstanceType": "c5.9xlarge"},
        )
        for number in range(GROUPS):
            self._group(
                f"group-{number}", subnets, INSTANCES // GROUPS + (number < INSTANCES % GROUPS)
            )

    def show(self) -> None:
        """Every instance. Raises RuntimeError when some are missing."""
        pages = self._client("ec2").get_paginator("describe_instances").paginate()
        found = sum(len(each["Instances"]) for page in pages for each in page["Reservations"])
        if found != INSTANCES:
            raise RuntimeError(f"{self._endpoint} lists {found} instances of {INSTANCES}")

    def _group(self, name: str, subnets: list[str], size: int) -> None:
        tag = {"Key": "Name", "Value": name, "PropagateAtLaunch": True}
        self._client("autoscaling").create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=0,
            MaxSize=size,
            DesiredCapacity=size,
            VPCZoneIdentifier=",".join(subnets),
            LaunchTemplate={"LaunchTemplateName": "nodes", "Version": "1"},
            Tags=[{**tag, "ResourceId": name, "ResourceType": "auto-scaling-group"}],
        )

    def _client(self, service: str) -> Any:
        return boto3.client(  # type: ignore[call-overload]  # any service, by name
            service,
            region_name=REGION,
            endpoint_url=self._endpoint,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key=self._key,
        )
