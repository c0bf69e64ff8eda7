"""Images made of hosts: what was on the disk is there in hosts launched from them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import LabFolder
from tests.lab.machines import Machine, Site, remove_instances, site, until

pytestmark = pytest.mark.hosts
IDENTITY = "hostname; cat /etc/machine-id; sudo ssh-keygen -yf /etc/ssh/ssh_host_ed25519_key"
KEYS_BEGIN, KEYS_END = "-----BEGIN SSH HOST KEY KEYS-----", "-----END SSH HOST KEY KEYS-----"
BAKE = (
    "echo baked | sudo tee /opt/baked && sudo rm /etc/motd"
    " && echo blob | sudo tee /var/lib/containerd/blob"
    # As installing openssh-server again does: keys of every kind.
    " && sudo ssh-keygen -A && sync"
)


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000030")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def source(here: Site) -> Machine:
    """A host with something on its disk that the vendor's image does not have."""
    machine = here.launch()
    machine.says(BAKE)
    return machine


@pytest.fixture(scope="module")
def image(here: Site, source: Machine) -> str:
    """An available image of `source`."""
    made = here.ec2.create_image(InstanceId=source.id, Name="baked")["ImageId"]
    available(here.ec2, made)
    return str(made)


def described(ec2: Any, image: str) -> Any:
    return ec2.describe_images(ImageIds=[image])["Images"][0]


def available(ec2: Any, image: str) -> None:
    until(lambda: described(ec2, image)["State"] != "pending")
    assert described(ec2, image)["State"] == "available", described(ec2, image)


def layers(lab: LabFolder) -> list[Path]:
    return sorted((lab.files.folder / "layers").iterdir())


def test_a_host_of_the_image_has_its_disk_and_an_identity_of_its_own(
    here: Site, source: Machine, image: str
) -> None:
    machine = here.launch(ImageId=image)
    assert machine.says("cat /opt/baked; sudo cat /var/lib/containerd/blob") == "baked\nblob"
    assert machine.run("test -e /etc/motd").code == 1
    until(lambda: source.run("true").code == 0)
    mine, its = machine.says(IDENTITY).splitlines(), source.says(IDENTITY).splitlines()
    assert len(mine) == 3
    assert not set(mine) & set(its)


def test_a_host_of_the_image_shares_no_host_key_and_shows_its_own_on_the_console(
    here: Site, source: Machine, image: str
) -> None:
    machine = here.launch(ImageId=image)
    until(lambda: source.run("true").code == 0)
    assert len(source.says("ls /etc/ssh/ssh_host_*_key").split()) == 3
    assert machine.says("ls /etc/ssh/ssh_host_*_key") == "/etc/ssh/ssh_host_ed25519_key"
    until(lambda: KEYS_END in machine.console())
    shown = machine.console().partition(KEYS_BEGIN)[2].partition(KEYS_END)[0].split()
    assert shown == machine.says("cat /etc/ssh/ssh_host_ed25519_key.pub").split()
    assert shown != source.says("cat /etc/ssh/ssh_host_ed25519_key.pub").split()


def test_making_an_image_reboots_the_source_which_goes_on(source: Machine, image: str) -> None:
    until(lambda: source.run("cat /opt/baked").stdout.strip() == "baked")
    assert source.state == "running"


def test_an_image_of_a_host_of_an_image_has_both(here: Site, image: str) -> None:
    first = here.launch(ImageId=image)
    first.says("echo more | sudo tee /opt/more && sudo rm /opt/baked && sync")
    second = here.ec2.create_image(InstanceId=first.id, Name="twice")["ImageId"]
    available(here.ec2, second)
    machine = here.launch(ImageId=second)
    assert machine.says("cat /opt/more; ls /opt") == "more\nmore"


def test_a_stopped_instances_image_is_taken_as_it_is(here: Site) -> None:
    machine = here.launch()
    machine.says("echo still | sudo tee /opt/still && sync")
    here.ec2.stop_instances(InstanceIds=[machine.id])
    made = here.ec2.create_image(InstanceId=machine.id, Name="of-stopped")["ImageId"]
    available(here.ec2, made)
    assert here.launch(ImageId=made).says("cat /opt/still") == "still"


def test_a_copy_outlives_the_original_and_files_go_with_the_last_snapshot(
    here: Site, lab: LabFolder, source: Machine
) -> None:
    until(lambda: source.status == "ok")
    before = layers(lab)
    made = here.ec2.create_image(InstanceId=source.id, Name="short-lived")["ImageId"]
    available(here.ec2, made)
    east = here.account.client("ec2", "us-east-1")
    copy = east.copy_image(SourceImageId=made, SourceRegion="us-west-2", Name="copy")["ImageId"]
    remove_image(here.ec2, made)
    assert described(east, copy)["State"] == "available"
    assert len(layers(lab)) == len(before) + 1
    remove_image(east, copy)
    until(lambda: layers(lab) == before)


def remove_image(ec2: Any, image: str) -> None:
    snapshot = described(ec2, image)["BlockDeviceMappings"][0]["Ebs"]["SnapshotId"]
    ec2.deregister_image(ImageId=image)
    ec2.delete_snapshot(SnapshotId=snapshot)
