"""The same cookbooks under real Chef and under the stand-in, on two fresh hosts: no difference.

Needs a real client, which $ORCHESTRATE_CHEF names: `make chef-parity` explains, and runs it alone.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chef_host import ROOT, ChefHost, folders, trial
from tests.lab.conftest import LabFolder
from tests.lab.machines import Site, remove_instances, site

CHEF = os.environ.get("ORCHESTRATE_CHEF", "")
pytestmark = pytest.mark.parity

ROLES = sorted(path.stem for path in (ROOT / "chef" / "roles").glob("*.json"))
# What two hosts never have in common, whoever converges them, and what only Chef itself leaves.
OWN = re.compile(
    r"file /etc/(machine-id|hosts|ld\.so\.cache|mdadm/mdadm\.conf|ssh/ssh_host_\S+):"
    r"|file /var/lib/systemd/(random-seed|timers/|timesync/|catalog/)"
    r"|file /root/\.(chef|gem|gnupg|local)"
    r"|unit session-\S+\.scope:"
    r"|state systemd-(hostnamed|timedated|localed)\.service:"
)


@pytest.fixture(scope="module")
def place(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "640000000002")
    try:
        yield made
    finally:
        remove_instances(made)


def launched(place: Site, name: str, role: str) -> ChefHost:
    """A host with the configuration, the real client and the Debian packages that one needs."""
    host = ChefHost(place.launch())
    host.ship(name, folders(role))
    needed = Path(CHEF) / "debian-packages"
    host.install(needed.read_text().split() if needed.is_file() else [])
    return host


def real_client(host: ChefHost) -> str:
    """The variable that chooses it: a folder is brought to the host, a command is there."""
    folder = Path(CHEF)
    if not folder.is_dir():
        return f"ORCHESTRATE_CHEF_COMMAND={CHEF}"
    host.put("/opt/chef", {".": folder})
    names = [name for name in ("cinc-client", "chef-client") if (folder / "bin" / name).exists()]
    return f"ORCHESTRATE_CHEF_COMMAND=/opt/chef/bin/{names[0]}"


def node(role: str) -> dict[str, Any]:
    """What the drivers tell a host of this role, in short."""
    told = {
        "fleet": "deeplab",
        "domain": "us-west.deeplab.example.net",
        "place": "cluster-us-west",
        "role": role,
        "group": "group",
        "hostname": "group-1.cluster-us-west",
        "users": {"ada": {"uid": 2001, "keys": ["ssh-ed25519 AAAA ada"], "admin": True}},
        "gone_users": ["bob"],
        "networks": ["10.0.0.0/10"],
        "login": "admin",
        "gpus": 0,
        "mounts": {},
        "exports": {"/srv/home": ["10.64.0.0/20"]} if role == "storage" else {},
        "time_servers": ["169.254.169.123"],
    }
    return {"run_list": [f"role[{role}]"], "orchestrate": told}


@pytest.mark.parametrize("role", ["", *ROLES], ids=lambda role: role or "trial")
def test_real_chef_and_the_stand_in_agree(place: Site, role: str) -> None:
    what = node(role) if role else trial()
    pictures = []
    for chosen in (real_client, lambda _: "ORCHESTRATE_STAND_IN=1"):
        host = launched(place, "parity", role)
        done = host.converge("parity", what, client=chosen(host))
        assert done.code == 0, done.stdout[-3000:]
        pictures.append({line for line in host.picture() if not OWN.match(line)})
    chef, stand_in = pictures
    assert sorted(chef - stand_in) == sorted(stand_in - chef)
