"""What a bake works with in EC2: a key pair, a security group, instances; and its end without rest.

All carry the tag that `find` and `clear` go by, from the first moment on.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from orchestrate.aws.instances import ALIVE
from orchestrate.aws.session import Session
from orchestrate.aws.tags import specifications
from orchestrate.errors import AwsError, OrchestrateError

SSH = 22
GROUP_TRIES, GROUP_PAUSE_S = 30, 2.0


@dataclass(frozen=True)
class Subnet:
    """A subnet in which an instance with a public address reaches the internet."""

    id: str
    vpc: str
    region: str


@dataclass(frozen=True)
class Bench:
    """A key pair and a security group in a subnet, both called `name` and tagged `tags`."""

    name: str
    subnet: Subnet
    security_group: str
    tags: Mapping[str, str]


def subnet_named(session: Session, region: str, names: Iterable[str]) -> Subnet | None:
    """The first subnet with one of these Name tags; None if there is none."""
    found = _subnets(session, region, {"tag:Name": list(names)})
    return found[0] if found else None


def default_subnet(session: Session, region: str) -> Subnet | None:
    """A subnet of the region's default VPC; None where that was deleted."""
    found = _subnets(session, region, {"default-for-az": ["true"]})
    return found[0] if found else None


def set_up(
    session: Session,
    name: str,
    subnet: Subnet,
    *,
    public_key: str,
    ssh_from: Iterable[IPv4Network],
    tags: Mapping[str, str],
) -> Bench:
    """Import a key pair and make a security group that lets SSH in from some ranges."""
    ec2 = session.ec2(subnet.region)
    with session.calling("make the key pair and security group of a bake"):
        ec2.import_key_pair(
            KeyName=name,
            PublicKeyMaterial=public_key.encode(),
            TagSpecifications=specifications(tags, "key-pair"),
        )
        group = ec2.create_security_group(
            GroupName=name,
            Description="SSH to the instances of a bake",
            VpcId=subnet.vpc,
            TagSpecifications=specifications(tags, "security-group"),
        )["GroupId"]
        ec2.authorize_security_group_ingress(
            GroupId=group,
            IpPermissions=[
                {
                    "IpProtocol": "tcp",
                    "FromPort": SSH,
                    "ToPort": SSH,
                    "IpRanges": [{"CidrIp": str(range_)} for range_ in sorted(set(ssh_from))],
                }
            ],
        )
    return Bench(name, subnet, group, tags)


def launch(
    session: Session,
    bench: Bench,
    *,
    ami: str,
    instance_type: str,
    name: str,
) -> str:
    """Launch one instance with a public address; its id."""
    named = {**bench.tags, "Name": name}
    interface: Any = {
        "DeviceIndex": 0,
        "SubnetId": bench.subnet.id,
        "Groups": [bench.security_group],
        "AssociatePublicIpAddress": True,
        "DeleteOnTermination": True,
    }
    with session.calling(f"launch {name}"):
        made = session.ec2(bench.subnet.region).run_instances(
            ImageId=ami,
            InstanceType=instance_type,  # type: ignore[arg-type]
            KeyName=bench.name,
            NetworkInterfaces=[interface],
            MetadataOptions={"HttpTokens": "required", "HttpEndpoint": "enabled"},
            TagSpecifications=specifications(named, "instance", "volume"),
            MinCount=1,
            MaxCount=1,
        )
    return made["Instances"][0]["InstanceId"]


def public_address(session: Session, bench: Bench, instance: str) -> str:
    """Its public address; "" while it has none. Raises OrchestrateError when it isn't to live."""
    with session.calling(f"look at {instance}"):
        found = session.ec2(bench.subnet.region).describe_instances(InstanceIds=[instance])
    (one,) = found["Reservations"][0]["Instances"]
    state = one["State"]["Name"]
    if state not in ("pending", "running"):
        why = one.get("StateReason", {}).get("Message", "")
        raise OrchestrateError(f"the instance is {state}: {why}", where=instance)
    return one.get("PublicIpAddress", "") if state == "running" else ""


def terminate(session: Session, region: str, instances: list[str]) -> None:
    """Terminate instances and wait until they are."""
    if not instances:
        return
    ec2 = session.ec2(region)
    with session.calling(f"terminate {', '.join(instances)}"):
        ec2.terminate_instances(InstanceIds=instances)
        ec2.get_waiter("instance_terminated").wait(
            InstanceIds=instances, WaiterConfig={"Delay": 2, "MaxAttempts": 300}
        )


def instances(session: Session, region: str, key: str, value: str) -> list[str]:
    """The ids of living instances with this tag."""
    filters: Any = [*_tagged(key, value), {"Name": "instance-state-name", "Values": ALIVE}]
    pages = session.ec2(region).get_paginator("describe_instances")
    with session.calling(f"look for instances of {value}"):
        return [
            one["InstanceId"]
            for page in pages.paginate(Filters=filters)
            for reservation in page["Reservations"]
            for one in reservation.get("Instances", [])
        ]


def clear(session: Session, region: str, key: str, value: str) -> list[str]:
    """Remove every instance, security group and key pair with this tag; what there was, by name."""
    ec2, tagged = session.ec2(region), _tagged(key, value)
    alive = instances(session, region, key, value)
    terminate(session, region, alive)
    with session.calling(f"remove what {value} has left"):
        groups = ec2.describe_security_groups(Filters=tagged)["SecurityGroups"]
        for group in groups:
            _delete_group(session, region, group["GroupId"])
        pairs = ec2.describe_key_pairs(Filters=tagged)["KeyPairs"]
        for pair in pairs:
            ec2.delete_key_pair(KeyName=pair["KeyName"])
    found = [f"security group {group['GroupId']}" for group in groups]
    return [*alive, *found, *(f"key pair {pair['KeyName']}" for pair in pairs)]


def _delete_group(session: Session, region: str, group: str) -> None:
    """Delete a security group, which AWS says is in use for some seconds after its instances."""
    for last in (*[False] * GROUP_TRIES, True):
        try:
            with session.calling(f"delete security group {group}"):
                session.ec2(region).delete_security_group(GroupId=group)
            return
        except AwsError as error:
            if last or error.code != "DependencyViolation":
                raise
        time.sleep(GROUP_PAUSE_S)


def _tagged(key: str, value: str) -> list[Any]:
    return [{"Name": f"tag:{key}", "Values": [value]}]


def _subnets(session: Session, region: str, wanted: Mapping[str, list[str]]) -> list[Subnet]:
    filters: Any = [{"Name": key, "Values": values} for key, values in wanted.items()]
    try:
        with session.calling(f"look for a subnet in {region}"):
            found = session.ec2(region).describe_subnets(Filters=filters)["Subnets"]
    except AwsError as error:
        if error.code == "InvalidSubnetID.NotFound":
            return []
        raise
    ours = [Subnet(one["SubnetId"], one["VpcId"], region) for one in found]
    return sorted(ours, key=lambda subnet: subnet.id)
