"""Packer's own amazon-ebs builder against the lab: from launch to an image in two regions."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrate import shell
from orchestrate.lab.client import PROXY_VARIABLES
from tests.lab.conftest import Account, LabFolder
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.hosts
HERE, ABROAD = "us-west-2", "eu-west-1"
TAGS = {"role": "base", "run": "r-1"}
TEMPLATE = """\
source "amazon-ebs" "base" {
  region                  = "us-west-2"
  ami_regions             = ["eu-west-1"]
  custom_endpoint_ec2     = "ENDPOINT"
  ami_name                = "base"
  instance_type           = "t3.small"
  ssh_username            = "admin"
  temporary_key_pair_type = "ed25519"
  run_tags                = { Name = "packer" }
  tags                    = { role = "base", run = "r-1" }
  snapshot_tags           = { role = "base", run = "r-1" }
  source_ami_filter {
    owners      = ["136693071363"]
    most_recent = true
    filters     = { name = "debian-12-amd64-*" }
  }
}
build {
  sources = ["source.amazon-ebs.base"]
  provisioner "shell" {
    inline = ["echo baked | sudo tee /opt/baked", "sync"]
  }
}
"""


@pytest.fixture(scope="module")
def built(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """An account in which Packer has built: nobody names a network, so in the default VPC."""
    if not shutil.which("packer"):
        pytest.skip("packer is not installed")
    account = Account("200000000040", lab)
    template: Path = tmp_path_factory.mktemp("packer") / "base.pkr.hcl"
    template.write_text(TEMPLATE.replace("ENDPOINT", lab.record.endpoint))
    environment = {**os.environ, **account.environment, "AWS_POLL_DELAY_SECONDS": "1"}
    for name in PROXY_VARIABLES:
        environment.pop(name)
    done = shell.run(
        ["packer", "build", str(template)],
        cwd=template.parent,
        env={**environment, "CHECKPOINT_DISABLE": "1"},
        timeout_s=PATIENCE_S,
        check=False,
    )
    assert done.code == 0, done.stdout + done.stderr
    yield account
    for region in (HERE, ABROAD):
        remove_images(account.client("ec2", region))


def images(ec2: Any) -> list[Any]:
    return list(ec2.describe_images(Owners=["self"])["Images"])


def snapshot(ec2: Any, image: Any) -> Any:
    named = image["BlockDeviceMappings"][0]["Ebs"]["SnapshotId"]
    return ec2.describe_snapshots(SnapshotIds=[named])["Snapshots"][0]


def remove_images(ec2: Any) -> None:
    for image in images(ec2):
        ec2.deregister_image(ImageId=image["ImageId"])
        ec2.delete_snapshot(SnapshotId=snapshot(ec2, image)["SnapshotId"])


def tags(of: Any) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in of["Tags"]}


@pytest.mark.parametrize("region", [HERE, ABROAD])
def test_an_image_and_its_own_snapshot_are_there_whole_and_tagged(
    built: Account, region: str
) -> None:
    ec2 = built.client("ec2", region)
    (image,) = images(ec2)
    assert (image["Name"], image["State"]) == ("base", "available")
    assert tags(image) == TAGS
    assert tags(snapshot(ec2, image)) == TAGS
    assert snapshot(ec2, image)["State"] == "completed"


def test_regions_have_snapshots_of_their_own(built: Account) -> None:
    named = {
        snapshot(built.client("ec2", region), image)["SnapshotId"]
        for region in (HERE, ABROAD)
        for image in images(built.client("ec2", region))
    }
    assert len(named) == 2


def test_the_build_leaves_no_instance_key_or_security_group(built: Account) -> None:
    ec2 = built.client("ec2", HERE)
    found = ec2.describe_instances()["Reservations"]
    assert {one["State"]["Name"] for each in found for one in each["Instances"]} == {"terminated"}
    assert ec2.describe_key_pairs()["KeyPairs"] == []
    groups = {one["GroupName"] for one in ec2.describe_security_groups()["SecurityGroups"]}
    assert groups == {"default"}
    assert ec2.describe_volumes()["Volumes"] == []
