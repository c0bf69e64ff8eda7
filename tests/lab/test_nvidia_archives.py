"""NVIDIA's archives and their keys, which a lab's hosts, without cards, never ask for.

One host answers for NVIDIA's sites, another is told that it gets the driver.
"""

import json
import re
from typing import Any

import pytest

from tests.lab.chef_host import STAND_IN, ChefHost, folders
from tests.lab.vendors import Package, Vendors

pytestmark = pytest.mark.hosts

CUDA, TOOLKIT = "developer.download.nvidia.com", "nvidia.github.io"
CUDA_PATH = "compute/cuda/repos/debian12/x86_64"
TOOLKIT_PATH = "libnvidia-container/stable/deb/amd64"
# For the fixture `internet`: accounts of its two hosts, and the sites that one answers for.
NUMBERS, NAMES = ("640000000005", "640000000006"), (CUDA, TOOLKIT)


UNIT = "[Service]\nType=oneshot\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"


def service(name: str) -> dict[str, str]:
    return {f"lib/systemd/system/{name}.service": UNIT}


def driver_packages(kernel: str) -> list[Package]:
    """What the driver's archive, and Debian's for the kernel, would have."""
    flavour = re.sub(r"\A[\d.]+(\+\w+)?(-\d+)?-", "", kernel)
    plain = ("nvidia-kernel-dkms", "nvidia-driver-cuda", "nvidia-modprobe")
    return [
        *(Package(name, "570.195.03-1") for name in plain),
        # Newer than the fleet wants: the pin keeps it away.
        Package("nvidia-driver-cuda", "580.1-1"),
        Package("nvidia-persistenced", "570.195.03-1", service("nvidia-persistenced")),
        Package("nvidia-fabricmanager-570", "570.195.03-1", service("nvidia-fabricmanager")),
        *(Package(f"linux-{kind}-{flavour}", "6.1-1") for kind in ("image", "headers")),
    ]


TOOLKIT_PACKAGES = [
    Package(name, "1.17.8-1")
    for name in (
        "libnvidia-container1",
        "libnvidia-container-tools",
        "nvidia-container-toolkit-base",
        "nvidia-container-toolkit",
    )
]


@pytest.fixture(scope="module")
def key(host: ChefHost, vendors: Vendors) -> str:
    """NVIDIA's sites as they should be; the fingerprint of their key."""
    fingerprint = vendors.new_key("nvidia")
    kernel = host.machine.says("uname -r")
    vendors.publish(driver_packages(kernel), CUDA, CUDA_PATH, fingerprint)
    vendors.publish(TOOLKIT_PACKAGES, TOOLKIT, TOOLKIT_PATH, fingerprint)
    publish_keys(vendors, fingerprint)
    host.ship("cards", folders("base"))
    return fingerprint


def publish_keys(vendors: Vendors, fingerprint: str) -> None:
    vendors.publish_key(fingerprint, CUDA, f"{CUDA_PATH}/3bf863cc.pub")
    vendors.publish_key(fingerprint, TOOLKIT, "libnvidia-container/gpgkey")


def cards(fingerprint: str) -> dict[str, Any]:
    """A host that gets the driver, and takes `fingerprint` for NVIDIA's key."""
    archives = ("nvidia-cuda", "nvidia-container-toolkit")
    return {
        "run_list": ["recipe[nvidia]"],
        "orchestrate": {"role": "gpu-worker", "place": "cluster", "gpus": 0},
        "nvidia": {
            "install": "always",
            "archives": {name: {"fingerprint": fingerprint} for name in archives},
        },
    }


def failure(host: ChefHost, fingerprint: str) -> str:
    """Why a converge failed, as its report says."""
    done = host.converge("cards", cards(fingerprint), client=STAND_IN)
    assert done.code == 1, done.stdout
    return json.dumps(host.report()["failed"])


def test_another_key_than_the_expected_is_refused(
    host: ChefHost, vendors: Vendors, key: str
) -> None:
    other = vendors.new_key("somebody")
    vendors.publish_key(other, CUDA, f"{CUDA_PATH}/3bf863cc.pub")
    said = failure(host, key)
    assert f"is not the key that was expected: {key} is not among {other}" in said
    assert host.machine.run("ls /etc/apt/keyrings/*").code != 0
    publish_keys(vendors, key)


def test_a_key_that_is_gone_is_said_to_be_so(host: ChefHost, vendors: Vendors, key: str) -> None:
    vendors.remove(CUDA, f"{CUDA_PATH}/3bf863cc.pub")
    assert "404" in failure(host, key)
    publish_keys(vendors, key)


def test_an_archive_that_is_down_is_asked_again_by_the_next_converge(
    host: ChefHost, vendors: Vendors, key: str
) -> None:
    vendors.says(f"sudo mv /srv/www/{CUDA}/{CUDA_PATH}/InRelease /srv/InRelease")
    vendors.says(f"sudo mv /srv/www/{CUDA}/{CUDA_PATH}/Release /srv/Release")
    assert "apt" in failure(host, key)
    vendors.says(f"sudo mv /srv/InRelease /srv/Release /srv/www/{CUDA}/{CUDA_PATH}/")
    done = host.converge("cards", cards(key), client=STAND_IN)
    assert done.code == 0, done.stdout[-3000:]


def test_a_host_with_cards_has_the_drivers_packages_at_one_version(
    host: ChefHost, key: str
) -> None:
    host.converge("cards", cards(key), client=STAND_IN)
    shown = host.machine.says("dpkg-query -W -f '${Package} ${Version}\n' 'nvidia-*' 'libnvidia*'")
    versions = dict(row.split() for row in shown.splitlines() if len(row.split()) == 2)
    assert versions["nvidia-driver-cuda"] == "570.195.03-1"
    assert versions["nvidia-container-toolkit"] == "1.17.8-1"
    assert len(versions) == 9
    assert host.machine.says("systemctl is-enabled nvidia-persistenced") == "enabled"
    done = host.converge("cards", cards(key), client=STAND_IN)
    assert done.code == 0
    assert host.updated() == []


def test_an_archive_with_a_new_key_is_trusted_once_the_fleet_says_so(
    host: ChefHost, vendors: Vendors, key: str
) -> None:
    new = vendors.new_key("nvidia-next")
    publish_keys(vendors, new)
    vendors.sign(CUDA, CUDA_PATH, new)
    vendors.sign(TOOLKIT, TOOLKIT_PATH, new)
    done = host.converge("cards", cards(new), client=STAND_IN)
    assert done.code == 0, done.stdout[-3000:]
    assert "apt_update[nvidia-cuda] update" in host.updated()
    shown = host.machine.says("sudo apt-get -q update 2>&1")
    assert "NO_PUBKEY" not in shown
    assert "not signed" not in shown
    host.converge("cards", cards(new), client=STAND_IN)
    assert host.updated() == []
