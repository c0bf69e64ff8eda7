"""EC2 images: the vendors' AMIs that fleets start from, in every region."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models.amis import Ami, AmiBackend

from orchestrate.lab.gaps import amends

DEBIAN = "136693071363"
CANONICAL = "099720109477"
STRANGER = "666666666666"
# Names as the vendors write them. Two of each, so that "the newest" is a choice.
VENDOR_IMAGES = (
    (DEBIAN, "debian-12-amd64-20250316-2053", "/dev/xvda"),
    (DEBIAN, "debian-12-amd64-20250814-2204", "/dev/xvda"),
    (CANONICAL, "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20250305", "/dev/sda1"),
    (CANONICAL, "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20250822", "/dev/sda1"),
    (CANONICAL, "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20250305", "/dev/sda1"),
    (CANONICAL, "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20250821", "/dev/sda1"),
    # What stands beside them and is not meant: other kernels, other processors, other releases, and
    # somebody else's under a vendor's name. Each is newer than what is meant.
    (DEBIAN, "debian-12-backports-amd64-20250911-2232", "/dev/xvda"),
    (DEBIAN, "debian-12-arm64-20250911-2232", "/dev/xvda"),
    (DEBIAN, "debian-13-amd64-20250911-2232", "/dev/xvda"),
    (CANONICAL, "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-arm64-server-20250911", "/dev/sda1"),
    (STRANGER, "debian-12-amd64-20250911-9999", "/dev/xvda"),
)


@amends(AmiBackend, "_load_amis")
def load_vendor_images(_original: Callable[..., Any], backend: Any) -> None:
    """Every region has the public images of Debian and Canonical, under ids of its own.

    moto ships a list from 2017 instead. `data.aws_ami` with `owners`, a `name` filter and
    `most_recent` must find one, and find the same one in the next plan.
    """
    for owner, name, device in VENDOR_IMAGES:
        image = image_id(backend.region_name, name)
        backend.amis[image] = Ami(
            backend,
            image,
            name=name,
            description=name,
            owner_id=owner,
            public=True,
            virtualization_type="hvm",
            architecture="arm64" if "-arm64-" in name else "x86_64",
            hypervisor="xen",
            image_location=f"{owner}/{name}",
            root_device_type="ebs",
            root_device_name=device,
            creation_date=published(name),
        )


def image_id(region: str, name: str) -> str:
    """An AMI id that is the same in every lab, and another one in every region."""
    return "ami-" + hashlib.sha256(f"{region} {name}".encode()).hexdigest()[:17]


def published(name: str) -> datetime:
    """The day in an image's name: the last part that is eight digits."""
    day = next(part for part in reversed(name.split("-")) if len(part) == 8 and part.isdigit())
    return datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC)
