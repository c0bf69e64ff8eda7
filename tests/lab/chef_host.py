"""Hosts of a lab that a test converges by hand, and a picture of what is on them."""

import base64
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrate import shell
from tests.lab.hosts_lab import SSH
from tests.lab.machines import Machine
from tests.lab.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
TRIAL = ROOT / "tests" / "cases" / "trial"
STATE = "/var/lib/orchestrate"
STAND_IN = "ORCHESTRATE_STAND_IN=1"

# Files with their owner, mode and content; packages; accounts; what systemd starts and runs.
PICTURE = r"""
cd /
places="etc opt usr/local usr/share/pam-configs home root srv var/home var/lib/systemd"
find $places -xdev -path opt/chef -prune -o -printf 'file /%p: %y %m %u:%g %l\n' 2>/dev/null
find $places -xdev -path opt/chef -prune -o -type f -exec sha256sum {} + 2>/dev/null |
  sed -E 's,^(.{16})\S+ +(.*),file /\2: \1,'
dpkg-query -W -f 'package ${Package}: ${Version} ${db:Status-Status}\n'
sed -n 's/^\([^:]*\):[^:]*/user \1/p' /etc/passwd
sed 's/^\([^:]*\):/group \1: /' /etc/group
systemctl list-unit-files --no-legend --no-pager | awk '{print "unit", $1 ":", $2}'
systemctl list-units --type=service,timer,socket --all --plain --no-legend --no-pager |
  awk '{print "state", $1 ":", $3}'
"""


@dataclass(frozen=True)
class ChefHost:
    """A host that is converged by hand."""

    machine: Machine

    def ship(self, name: str, folders: Mapping[str, Path]) -> None:
        """Put folders below the configuration of this name."""
        self.put(f"{STATE}/configuration/{name}", folders)

    def put(self, into: str, folders: Mapping[str, Path]) -> None:
        """Put folders, by the names they get, below one of the host's."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            for target, folder in folders.items():
                tar.add(folder, arcname=target)
        unpack = f"base64 -d | sudo tar xz --no-same-owner -C {into}"
        text = base64.b64encode(packed.getvalue()).decode()
        assert self._run(f"sudo mkdir -p {into} && {unpack}", text).code == 0

    def converge(
        self, name: str, node: Mapping[str, Any], *options: str, client: str = STAND_IN
    ) -> shell.Finished:
        """Converge to a configuration; `client` is the variable that chooses the client."""
        text = json.dumps(node)
        assert self._run(f"sudo tee {STATE}/node.json >/dev/null", text).code == 0
        script = f"{STATE}/configuration/{name}/client/converge.sh"
        return self._run(f"sudo env {client} sh {script} {' '.join(options)}", timeout_s=PATIENCE_S)

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.machine.says(f"sudo cat {STATE}/report.json"))
        return found

    def updated(self) -> list[str]:
        return [f"{one['resource']} {one['action']}" for one in self.report()["updated"]]

    def picture(self) -> list[str]:
        """A line for each thing on the host, sorted."""
        done = self._run("sudo sh", PICTURE)
        assert done.code == 0, done.stderr
        return sorted(done.stdout.splitlines())

    def install(self, packages: Sequence[str]) -> None:
        words = " ".join(packages)
        command = f"sudo apt-get -q update && sudo apt-get install -qy {words}"
        assert not packages or self._run(command, timeout_s=PATIENCE_S).code == 0

    def _run(self, command: str, given: str = "", timeout_s: float = PATIENCE_S) -> shell.Finished:
        identity = self.machine.account.lab.files.identity
        argv = [*SSH, "-i", str(identity), f"admin@{self.machine.address}", command]
        return shell.run(argv, stdin=given, check=False, timeout_s=timeout_s)


def folders(role: str = "") -> dict[str, Path]:
    """What a host needs for a role, or for the trial cookbook."""
    chef = ROOT / "chef"
    parts = {"client": chef / "client", "stand-in": chef / "stand-in", "roles": chef / "roles"}
    cookbooks = {"cookbooks": chef / "cookbooks"} if role else {"cookbooks/trial": TRIAL}
    return {**parts, **cookbooks}


def trial(recipe: str = "default") -> dict[str, Any]:
    """The node JSON of the trial cookbook."""
    return {"run_list": [f"recipe[trial::{recipe}]"], "orchestrate": {"role": "trial"}}
