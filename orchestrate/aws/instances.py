"""EC2 instances, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from orchestrate.aws.regions import in_each
from orchestrate.aws.session import Session

if TYPE_CHECKING:
    from mypy_boto3_ec2.type_defs import InstanceTypeDef

# EC2 keeps showing a terminated instance for about an hour; it is no host any more.
ALIVE = ["pending", "running", "stopping", "stopped", "shutting-down"]


@dataclass(frozen=True)
class Instance:
    """One EC2 instance. Addresses are "" where it has none; `launched` is in UTC."""

    id: str
    region: str
    zone: str
    type: str
    image: str
    state: str
    private_ip: str
    public_ip: str
    launched: datetime
    tags: Mapping[str, str]


def describe(session: Session, regions: Iterable[str], fleet: str) -> list[Instance]:
    """The instances of a fleet (their tag `fleet`) in these regions, without the terminated."""

    def ask(region: str) -> list[Instance]:
        pages = session.ec2(region).get_paginator("describe_instances")
        filters = [
            {"Name": "tag:fleet", "Values": [fleet]},
            {"Name": "instance-state-name", "Values": ALIVE},
        ]
        with session.calling(f"list the instances in {region}"):
            return [
                _instance(region, found)
                for page in pages.paginate(Filters=filters)  # type: ignore[arg-type]
                for reservation in page["Reservations"]
                for found in reservation.get("Instances", [])
            ]

    return in_each(regions, ask)


def console(session: Session, region: str, instance: str) -> str:
    """What an instance has printed on its console so far; "" where AWS has nothing yet.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetConsoleOutput.html: the latest
    output is there on Nitro instances only; of others there is what was kept at the last boot.
    """
    ec2 = session.ec2(region)
    with session.calling(f"read the console of {instance}"):
        try:
            found = ec2.get_console_output(InstanceId=instance, Latest=True)
        except ec2.exceptions.ClientError as error:
            if error.response["Error"]["Code"] != "UnsupportedOperation":
                raise
            found = ec2.get_console_output(InstanceId=instance)
    return found.get("Output", "")


def _instance(region: str, found: InstanceTypeDef) -> Instance:
    return Instance(
        id=found["InstanceId"],
        region=region,
        zone=found["Placement"].get("AvailabilityZone", ""),
        type=found["InstanceType"],
        image=found["ImageId"],
        state=found["State"]["Name"],
        private_ip=found.get("PrivateIpAddress", ""),
        public_ip=found.get("PublicIpAddress", ""),
        launched=found["LaunchTime"],
        tags={tag["Key"]: tag["Value"] for tag in found.get("Tags", [])},
    )
