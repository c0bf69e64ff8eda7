"""What hosts on AWS fetch from the internet before anything of ours is on them: the client, and
NVIDIA's archives. A lab's hosts bring a stand-in and no cards, so nothing else walks these paths.

One host answers for the vendors' sites, another is a fresh one that knows no better.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chef_host import STAND_IN, ChefHost, folders
from tests.lab.conftest import LabFolder
from tests.lab.machines import Site, remove_instances, site
from tests.lab.vendors import Package, Vendors

pytestmark = pytest.mark.hosts

CINC, CUDA, TOOLKIT = "downloads.cinc.sh", "developer.download.nvidia.com", "nvidia.github.io"
CUDA_PATH = "compute/cuda/repos/debian12/x86_64"
TOOLKIT_PATH = "libnvidia-container/stable/deb/amd64"
# What `env` may set that chooses no client.
NO_CLIENT = "LC_ALL=C.UTF-8"

# As the vendors write it, whole: what isn't asked for must do no harm either.
OS_RELEASE = {
    "debian/12": """\
PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
NAME="Debian GNU/Linux"
VERSION_ID="12"
VERSION="12 (bookworm)"
VERSION_CODENAME=bookworm
ID=debian
HOME_URL="https://www.debian.org/"
""",
    "ubuntu/22.04": """\
PRETTY_NAME="Ubuntu 22.04.5 LTS"
NAME="Ubuntu"
VERSION_ID="22.04"
VERSION="22.04.5 LTS (Jammy Jellyfish)"
VERSION_CODENAME=jammy
ID=ubuntu
ID_LIKE=debian
HOME_URL="https://www.ubuntu.com/"
UBUNTU_CODENAME=jammy
""",
    "ubuntu/24.04": """\
PRETTY_NAME="Ubuntu 24.04.3 LTS"
NAME="Ubuntu"
VERSION_ID="24.04"
VERSION="24.04.3 LTS (Noble Numbat)"
VERSION_CODENAME=noble
ID=ubuntu
ID_LIKE=debian
LOGO=ubuntu-logo
""",
    "debian/none": """\
PRETTY_NAME="Debian GNU/Linux forky/sid"
NAME="Debian GNU/Linux"
VERSION_CODENAME=forky
ID=debian
""",
}
CLIENT = Package(
    "cinc",
    "18.6.2-1",
    {
        "opt/cinc/bin/cinc-client": """\
#!/bin/sh
echo '{"client": "made up", "failed": null, "updated": []}' >$ORCHESTRATE_STATE/report.json.new
echo '{"role": "some"}' >$ORCHESTRATE_STATE/converged.json.new
"""
    },
)


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "640000000003")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def elsewhere(lab: LabFolder) -> Iterator[Site]:
    """Another network on the internet, whose hosts may be asked by HTTPS."""
    made = site(lab, "640000000004")
    made.ec2.authorize_security_group_ingress(
        GroupId=made.security_group,
        IpProtocol="tcp",
        FromPort=443,
        ToPort=443,
        CidrIp="0.0.0.0/0",
    )
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def vendors(elsewhere: Site) -> Vendors:
    made = Vendors(ChefHost(elsewhere.launch()), (CINC, CUDA, TOOLKIT))
    made.start()
    return made


@pytest.fixture(scope="module")
def host(here: Site, vendors: Vendors) -> ChefHost:
    made = ChefHost(here.launch())
    vendors.known_to(made)
    made.ship("cards", folders("base"))
    return made


def without_client(host: ChefHost, vendors: Vendors, tmp_path: Path, known: str) -> str:
    """Take the client away; the name of a configuration with `known` as its checksums."""
    listed = tmp_path / "cinc.sha256"
    listed.write_text(known)
    name = hashlib.sha256(known.encode()).hexdigest()[:12]
    client = folders("base")["client"]
    host.ship(name, {f"client/{path.name}": path for path in client.iterdir() if path.is_file()})
    host.ship(name, {"client/cinc.sha256": listed})
    host.machine.says("sudo dpkg --purge cinc 2>&1")
    return name


def become(host: ChefHost, system: str) -> None:
    host.machine.says(
        f"sudo rm -f /etc/os-release && printf %s '{OS_RELEASE[system]}' | sudo tee /etc/os-release"
    )


def line(system: str, data: bytes) -> str:
    return f"{hashlib.sha256(data).hexdigest()}  18.6.2/{system}/cinc_18.6.2-1_amd64.deb\n"


def installed(host: ChefHost) -> bool:
    return host.machine.run("test -e /opt/cinc").code == 0


NODE: dict[str, Any] = {"run_list": [], "orchestrate": {"role": "base"}}


@pytest.mark.parametrize("system", ["debian/12", "ubuntu/22.04", "ubuntu/24.04"])
def test_a_host_without_a_client_installs_the_one_for_its_system(
    host: ChefHost, vendors: Vendors, tmp_path: Path, system: str
) -> None:
    data = CLIENT.built()
    vendors.serve(CINC, f"files/stable/cinc/18.6.2/{system}/cinc_18.6.2-1_amd64.deb", data)
    others = "".join(line(other, b"") for other in OS_RELEASE if other != system)
    name = without_client(host, vendors, tmp_path, others + line(system, data))
    become(host, system)
    done = host.converge(name, NODE, client=NO_CLIENT)
    assert done.code == 0, done.stdout + done.stderr
    assert host.report()["client"] == "made up"
    again = host.converge(name, NODE, client=NO_CLIENT)
    assert "installing" not in again.stdout


def test_the_client_comes_without_curl_too(
    host: ChefHost, vendors: Vendors, tmp_path: Path
) -> None:
    data, system = CLIENT.built(), "debian/12"
    vendors.serve(CINC, f"files/stable/cinc/18.6.2/{system}/cinc_18.6.2-1_amd64.deb", data)
    name = without_client(host, vendors, tmp_path, line(system, data))
    become(host, system)
    host.machine.says("sudo mv /usr/bin/curl /usr/bin/curl.away")
    try:
        done = host.converge(name, NODE, client=NO_CLIENT)
    finally:
        host.machine.says("sudo mv /usr/bin/curl.away /usr/bin/curl")
    assert done.code == 0, done.stdout + done.stderr
    assert installed(host)


@pytest.mark.parametrize(
    ("system", "served", "said"),
    [
        ("debian/12", b"another package", "is not what it was: its SHA-256 is "),
        ("debian/12", None, "could not fetch https://downloads.cinc.sh/files/stable/cinc/18.6.2/"),
        ("debian/none", None, "no Cinc is known for debian/none on amd64"),
    ],
    ids=["another package", "no package", "a system that nobody knows"],
)
def test_what_cannot_be_trusted_or_had_is_not_installed(
    host: ChefHost, vendors: Vendors, tmp_path: Path, system: str, served: bytes | None, said: str
) -> None:
    path = f"files/stable/cinc/18.6.2/{system}/cinc_18.6.2-1_amd64.deb"
    vendors.remove(CINC, path)
    if served:
        vendors.serve(CINC, path, served)
    name = without_client(host, vendors, tmp_path, line("debian/12", b"the right one"))
    become(host, system)
    done = host.converge(name, NODE, client=NO_CLIENT)
    assert done.code == 69
    assert said in done.stderr
    assert "could not be installed" in host.report()["failed"]["error"]
    assert not installed(host)


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
    become(host, "debian/12")
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


def forget(host: ChefHost) -> None:
    """As before the first converge."""
    lists = "/var/lib/apt/lists/*nvidia*"
    host.machine.says(f"sudo rm -f /etc/apt/keyrings/* /etc/apt/sources.list.d/nvidia* {lists}")


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
