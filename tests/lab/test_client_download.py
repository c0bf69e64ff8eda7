"""The installation of Cinc where there is no client, as on hosts on AWS and at the sites.
A lab's hosts bring a stand-in, so nothing else walks this path.

One host answers for downloads.cinc.sh, another is a fresh one that knows no better.
"""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chef_host import ChefHost, folders
from tests.lab.vendors import Package, Vendors

pytestmark = pytest.mark.hosts

CINC = "downloads.cinc.sh"
# For the fixture `internet`: accounts of its two hosts, and the sites that one answers for.
NUMBERS, NAMES = ("640000000003", "640000000004"), (CINC,)
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
