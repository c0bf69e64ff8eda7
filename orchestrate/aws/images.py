"""AMIs and their snapshots, as plain data; copying and removing them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrate.aws.regions import in_each
from orchestrate.aws.session import Session
from orchestrate.aws.tags import specifications
from orchestrate.errors import AwsError

if TYPE_CHECKING:
    from mypy_boto3_ec2.type_defs import ImageTypeDef

# What AWS answers for something that is gone already.
GONE = {"InvalidAMIID.NotFound", "InvalidAMIID.Unavailable", "InvalidSnapshot.NotFound"}


@dataclass(frozen=True)
class Ami:
    """One AMI. `state` is AWS's word: `pending`, `available`, `failed`; `why` it failed, if told.

    `created` is AWS's own timestamp (RFC 3339), which sorts by time; `disk_gb` is the size of the
    root device, 0 where it isn't told.
    """

    id: str
    region: str
    name: str
    state: str
    created: str
    architecture: str
    root_device: str
    disk_gb: int
    snapshots: tuple[str, ...]
    tags: Mapping[str, str]
    why: str = ""


def newest(
    session: Session, region: str, *, owner: str, name: str, architecture: str
) -> Ami | None:
    """The available AMI of an owner made last whose name fits the pattern, as Terraform's data
    source finds it; None if there is none.
    """
    wanted = {
        "name": name,
        "architecture": architecture,
        "virtualization-type": "hvm",
        "state": "available",
    }
    found = _describe(session, region, f"look for {name}", [owner], wanted)
    return max(found, key=lambda ami: (ami.created, ami.id), default=None)


def named(session: Session, region: str, names: Iterable[str]) -> list[Ami]:
    """The account's own AMIs with these names, in whatever state."""
    return _own(session, region, "name", names)


def existing(session: Session, amis: Iterable[tuple[str, str]]) -> list[Ami]:
    """Those of (region, AMI id) that exist, all regions asked at once."""
    by_region: dict[str, list[str]] = {}
    for region, ami in amis:
        by_region.setdefault(region, []).append(ami)
    return in_each(by_region, lambda region: _own(session, region, "image-id", by_region[region]))


def tagged(session: Session, region: str, tags: Mapping[str, Sequence[str]]) -> list[Ami]:
    """The account's own available AMIs whose tags have, for each key, one of the values."""
    wanted = {f"tag:{key}": list(values) for key, values in tags.items()}
    return _describe(session, region, "list images", ["self"], {**wanted, "state": "available"})


def copy(
    session: Session,
    source: Ami,
    region: str,
    *,
    description: str,
    tags: Mapping[str, str],
) -> str:
    """Begin to copy an AMI to another region under its own name, encrypted there; the new id.

    The copy and its snapshots have their tags from the first moment on, so that nobody has to
    guess what a copy is that was given up halfway:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CopyImage.html
    """
    with session.calling(f"copy {source.name} to {region}"):
        made = session.ec2(region).copy_image(
            SourceImageId=source.id,
            SourceRegion=source.region,
            Name=source.name,
            Description=description,
            Encrypted=True,
            # The same for all tries of this one call, so a lost answer makes no second copy.
            ClientToken=uuid.uuid4().hex,
            TagSpecifications=specifications(tags, "image", "snapshot"),
        )
    return made["ImageId"]


def tag(session: Session, ami: Ami, tags: Mapping[str, str]) -> None:
    """Tag an AMI and its snapshots."""
    with session.calling(f"tag {ami.name}"):
        session.ec2(ami.region).create_tags(
            Resources=[ami.id, *ami.snapshots],
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
        )


def remove(session: Session, ami: Ami) -> None:
    """Deregister an AMI, then delete its snapshots; what is gone already is no error.

    Launch templates that name it launch nothing any more; instances run on.
    """
    ec2 = session.ec2(ami.region)
    _unless_gone(session, f"deregister {ami.name}", lambda: ec2.deregister_image(ImageId=ami.id))
    for snapshot in ami.snapshots:
        _unless_gone(
            session,
            f"delete {snapshot} of {ami.name}",
            lambda one=snapshot: ec2.delete_snapshot(SnapshotId=one),
        )


def _unless_gone(session: Session, purpose: str, call: Any) -> None:
    try:
        with session.calling(purpose):
            call()
    except AwsError as error:
        if error.code not in GONE:
            raise


def _own(session: Session, region: str, key: str, values: Iterable[str]) -> list[Ami]:
    wanted = list(values)
    return _describe(session, region, "list images", ["self"], {key: wanted}) if wanted else []


def _describe(
    session: Session,
    region: str,
    purpose: str,
    owners: list[str],
    wanted: Mapping[str, str | list[str]],
) -> list[Ami]:
    pages = session.ec2(region).get_paginator("describe_images")
    filters: Any = [
        {"Name": key, "Values": [value] if isinstance(value, str) else value}
        for key, value in wanted.items()
    ]
    with session.calling(f"{purpose} in {region}"):
        return [
            _ami(region, found)
            for page in pages.paginate(Owners=owners, Filters=filters)
            for found in page["Images"]
        ]


def _ami(region: str, found: ImageTypeDef) -> Ami:
    mappings = found.get("BlockDeviceMappings", [])
    disks = {one.get("DeviceName", ""): one["Ebs"] for one in mappings if "Ebs" in one}
    root = found.get("RootDeviceName", "")
    return Ami(
        id=found["ImageId"],
        region=region,
        name=found.get("Name", ""),
        state=found["State"],
        created=found.get("CreationDate", ""),
        architecture=found["Architecture"],
        root_device=root,
        disk_gb=disks.get(root, {}).get("VolumeSize", 0),
        snapshots=tuple(one["SnapshotId"] for one in disks.values() if one.get("SnapshotId")),
        tags={tag["Key"]: tag["Value"] for tag in found.get("Tags", [])},
        why=found.get("StateReason", {}).get("Message", ""),
    )
