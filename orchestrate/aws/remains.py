"""What is in the way of a destroy: what others put into buckets, zones, groups and VPCs of ours;
and how it is taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from orchestrate.aws.session import Session
from orchestrate.errors import AwsError

# Counting goes no further: that there are more is all one needs to know.
MOST_COUNTED = 100_000


@dataclass(frozen=True)
class Record:
    """A record set of a zone. `raw` is the API's own, which deleting it takes."""

    name: str
    type: str
    raw: Any


@dataclass(frozen=True)
class Interface:
    """A network interface in a VPC; `instance` is whose it is, "" of none."""

    id: str
    instance: str
    in_use: bool
    description: str


@dataclass(frozen=True)
class Group:
    """What keeps an auto scaling group from letting go of its instances."""

    instances: tuple[str, ...]
    suspended: tuple[str, ...]
    protected: tuple[str, ...]


def versions(session: Session, region: str, bucket: str) -> int:
    """How many objects, old versions and delete markers are in a bucket, counted to a limit."""
    counted = 0
    for page in _versions(session, region, bucket):
        counted += len(page)
        if counted >= MOST_COUNTED:
            break
    return counted


def empty(session: Session, region: str, bucket: str, told: Callable[[int], None]) -> None:
    """Delete every version of every object; `told` hears how many are gone, page by page."""
    s3, gone = session.s3(region), 0
    for page in _versions(session, region, bucket):
        if page:
            with session.calling(f"empty bucket {bucket}"):
                done = s3.delete_objects(Bucket=bucket, Delete={"Objects": page, "Quiet": True})
            if done.get("Errors"):
                first = done["Errors"][0]
                raise AwsError(
                    f"cannot empty bucket {bucket}: {first.get('Key')}: {first.get('Message')}",
                    fix="see who holds these objects (object lock, a policy of the bucket)",
                    code=first.get("Code", ""),
                )
            gone += len(page)
            told(gone)


def _versions(session: Session, region: str, bucket: str) -> Iterator[list[Any]]:
    pages: Any = session.s3(region).get_paginator("list_object_versions")
    with session.calling(f"look into bucket {bucket}"):
        for page in pages.paginate(Bucket=bucket):
            found = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
            yield [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in found]


def records(session: Session, region: str, zone: str) -> list[Record]:
    """The record sets of a zone, without those of its own that every zone has."""
    pages: Any = session.route53(region).get_paginator("list_resource_record_sets")
    with session.calling(f"look into zone {zone}"):
        apex = session.route53(region).get_hosted_zone(Id=zone)["HostedZone"]["Name"]
        found = [one for page in pages.paginate(HostedZoneId=zone) for one in page[_SETS]]
    return [
        Record(one["Name"], one["Type"], one)
        for one in found
        if one["Name"] != apex or one["Type"] not in ("NS", "SOA")
    ]


_SETS = "ResourceRecordSets"


def delete_record(session: Session, region: str, zone: str, record: Record) -> None:
    change: Any = {"Action": "DELETE", "ResourceRecordSet": record.raw}
    with session.calling(f"delete {record.name} {record.type} from zone {zone}"):
        session.route53(region).change_resource_record_sets(
            HostedZoneId=zone, ChangeBatch={"Changes": [change]}
        )


def group(session: Session, region: str, name: str) -> Group:
    """A group's instances, and what is suspended or protected in it; empty where it is gone."""
    with session.calling(f"look at group {name}"):
        found = session.autoscaling(region).describe_auto_scaling_groups(
            AutoScalingGroupNames=[name]
        )["AutoScalingGroups"]
    members = [one for each in found for one in each.get("Instances", ())]
    return Group(
        tuple(one["InstanceId"] for one in members),
        tuple(one["ProcessName"] for each in found for one in each.get("SuspendedProcesses", ())),
        tuple(one["InstanceId"] for one in members if one.get("ProtectedFromScaleIn")),
    )


def let_go(session: Session, region: str, name: str, protected: tuple[str, ...]) -> None:
    """Let a group terminate its instances again, those that were protected too."""
    with session.calling(f"resume termination in group {name}"):
        scaling = session.autoscaling(region)
        scaling.resume_processes(AutoScalingGroupName=name, ScalingProcesses=["Terminate"])
        if protected:
            scaling.set_instance_protection(
                AutoScalingGroupName=name, InstanceIds=list(protected), ProtectedFromScaleIn=False
            )


def interfaces(session: Session, region: str, vpc: str) -> list[Interface]:
    """The network interfaces in a VPC: each keeps it, its subnet and its groups from going."""
    pages: Any = session.ec2(region).get_paginator("describe_network_interfaces")
    with session.calling(f"look for network interfaces in {vpc}"):
        found = [
            one
            for page in pages.paginate(Filters=[{"Name": "vpc-id", "Values": [vpc]}])
            for one in page["NetworkInterfaces"]
        ]
    return [
        Interface(
            one["NetworkInterfaceId"],
            (one.get("Attachment") or {}).get("InstanceId", ""),
            one.get("Status") != "available",
            one.get("Description", ""),
        )
        for one in found
    ]


def delete_interface(session: Session, region: str, interface: str) -> None:
    with session.calling(f"delete network interface {interface}"):
        session.ec2(region).delete_network_interface(NetworkInterfaceId=interface)
