"""Forty hosts of one group come up at once, go down to none, and nothing of them is left."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from orchestrate.lab.client import status
from orchestrate.lab.hosts import missing
from orchestrate.lab.topology import Slot
from tests.lab.conftest import Account, LabFolder
from tests.lab.hosts_lab import traces
from tests.lab.machines import REGION, Site, site, until
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.hosts
MANY = 40
GROUP = {"AutoScalingGroupName": "many"}


@pytest.fixture
def here(empty_folder: LabFolder) -> Iterator[Site]:
    """A lab of its own, which has room for all of them."""
    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    empty_folder.up("--no-sites")
    made = site(empty_folder, "200000000060")
    made.ec2.modify_subnet_attribute(SubnetId=made.subnet, MapPublicIpOnLaunch={"Value": True})
    yield made


def test_forty_hosts_come_up_at_once_and_go_down_clean(
    here: Site, empty_folder: LabFolder, record_property: Any
) -> None:
    slot = Slot(empty_folder.record.slot)
    scaling = here.account.client("autoscaling", REGION)
    template(here)

    begun = time.monotonic()
    scaling.create_auto_scaling_group(
        **GROUP,
        MinSize=0,
        MaxSize=MANY,
        DesiredCapacity=MANY,
        VPCZoneIdentifier=here.subnet,
        LaunchTemplate={"LaunchTemplateName": "many", "Version": "1"},
    )
    until(lambda: running(empty_folder) == MANY, PATIENCE_S)
    until(lambda: answering(here.account) == MANY, PATIENCE_S)
    up_s = time.monotonic() - begun

    begun = time.monotonic()
    scaling.set_desired_capacity(**GROUP, DesiredCapacity=0)
    until(lambda: of_hosts(empty_folder) == [], PATIENCE_S)
    down_s = time.monotonic() - begun

    assert empty_folder.orchestrate("down").code == 0
    assert traces(slot, empty_folder.files.folder) == []
    figures = f"{MANY} hosts answered SSH after {up_s:.0f} s, were gone {down_s:.0f} s after"
    record_property("figures", figures)
    print(figures)


def template(here: Site) -> None:
    images = here.ec2.describe_images(Owners=["136693071363"])["Images"]
    here.ec2.create_launch_template(
        LaunchTemplateName="many",
        LaunchTemplateData={
            "ImageId": images[0]["ImageId"],
            "InstanceType": "t3.small",
            "KeyName": "operator",
            "SecurityGroupIds": [here.security_group],
        },
    )


def running(lab: LabFolder) -> int:
    return sum(one["host"] == "running" for one in status(lab.record)["instances"])


def of_hosts(lab: LabFolder) -> list[str]:
    """What there is of any host of a running lab: on the machine, and in the lab's folder."""
    slot = Slot(lab.record.slot)
    left = [trace for trace in traces(slot, lab.files.folder) if f"{slot.prefix}i-" in trace]
    return [*left, *map(str, (lab.files.folder / "hosts").iterdir())]


def answering(account: Account) -> int:
    """How many have a server of SSH at their public address."""
    pages = account.client("ec2", REGION).describe_instances()["Reservations"]
    addresses = [one["PublicIpAddress"] for page in pages for one in page["Instances"]]
    with ThreadPoolExecutor(MANY) as pool:
        return sum(pool.map(answers, addresses))


def answers(address: str) -> bool:
    try:
        with closing(socket.create_connection((address, 22), timeout=10)) as door:
            return door.recv(8) == b"SSH-2.0-"
    except OSError:
        return False
