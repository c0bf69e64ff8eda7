"""Hosts that are converged with the repository's own cookbooks, as `converge` does it: shipped,
told what they are, and left to the client.
"""

import base64
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orchestrate import shell
from orchestrate.chef import archive, node, roles
from orchestrate.fleet.load import load
from orchestrate.fleet.models import Fleet, User
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access
from orchestrate.verify import run
from orchestrate.verify.checks import Check
from orchestrate.verify.verdicts import Verdict
from tests.lab.conftest import EXAMPLE, ROOT
from tests.lab.hosts_lab import SSH
from tests.lab.machines import Machine
from tests.lab.patience import PATIENCE_S

CHEF = ROOT / "chef"
STATE = "/var/lib/orchestrate"
# Compilers take a while on a machine that does much else.
# Of the fleet's own files: where a host of the role stands, its group or rack, its name.
PLACES = {
    "bastion": ("cluster-us-west", "", "bastion"),
    "ssh-node": ("cluster-us-west", "adhoc", "adhoc-1a2b3c"),
    "gpu-worker": ("cluster-us-west", "gpu-a100", "gpu-a100-1a2b3c"),
    "storage": ("site-sf", "r1", "sf-nfs1"),
}
CONVERGE = """\
set -eu
into={state}/configuration/{digest}
[ -d $into ] || {{ mkdir -p $into && base64 -d | tar -xzf - -C $into; }}
umask 077
printf %s {node} | base64 -d > {state}/node.json
ORCHESTRATE_STAND_IN=1 exec sh $into/client/converge.sh {flags}
"""


@dataclass(frozen=True)
class Subject:
    """A machine, the role it is to have, and what it is told: the part "orchestrate"."""

    machine: Machine
    role: str
    told: dict[str, Any]

    def converge(self, *flags: str, chef: Path = CHEF) -> dict[str, Any]:
        """The report of one converge, which must go well."""
        packed = archive.pack(chef, self.role, stand_in=True)
        content = node.text({"run_list": [f"role[{self.role}]"], "orchestrate": self.told})
        script = CONVERGE.format(
            state=STATE,
            digest=packed.digest,
            node=base64.b64encode(content.encode()).decode(),
            flags=" ".join(flags),
        )
        argv = [*self._ssh("admin"), "sudo", "sh", "-c", f"'{script}'"]
        data = base64.b64encode(packed.data).decode()
        done = shell.run(argv, stdin=data, check=False, timeout_s=PATIENCE_S)
        report: dict[str, Any] = json.loads(self.machine.says(f"sudo cat {STATE}/report.json"))
        assert done.code == 0, f"{report['failed']}\n{shell.tail(done.stdout)}"
        return report

    def log_in(
        self, user: str, command: str, *, door: "Subject | None" = None, address: str = ""
    ) -> shell.Finished:
        """A command as a person of the fleet, who may hop through a bastion: to the private
        address, or to `address`.
        """
        argv = self._ssh(user)
        if door is not None:
            hop = " ".join(door._ssh(user)[:-1])
            proxy = f"{hop} -W %h:%p {user}@{door.machine.address}"
            argv[1:1] = ["-o", f"ProxyCommand={proxy}"]
            private = self.machine.instance["PrivateIpAddress"]
            argv[-1] = f"{user}@{address or private}"
        return shell.run([*argv, command], check=False, timeout_s=PATIENCE_S)

    def _ssh(self, user: str) -> list[str]:
        return [*SSH, "-i", str(identity(self.machine)), f"{user}@{self.machine.address}"]

    def check(self, login: str) -> Check:
        suites = roles.load(CHEF, self.role).cookbooks
        host = Host(
            f"{self.role}.{self.machine.id}", "", self.role, "", "", self.machine.id, "running",
            "", self.machine.address, login,
        )  # fmt: skip
        return Check(host, suites, {"orchestrate": self.told})


def identity(machine: Machine) -> Path:
    return machine.account.lab.files.identity


def verify(
    subjects: Sequence[Subject], logs: Path, only: str = "", login: str = "admin"
) -> dict[str, Verdict]:
    """Their suites' verdicts by role."""
    access = Access(logs / "known_hosts", identity(subjects[0].machine))
    logs.mkdir(parents=True, exist_ok=True)
    checks = [subject.check(login) for subject in subjects]
    found = run.run(checks, access=access, root=ROOT, logs=logs, only=only)
    return dict(zip([subject.role for subject in subjects], found.hosts, strict=True))


def converge_all(subjects: Sequence[Subject]) -> dict[str, dict[str, Any]]:
    """Reports by role; all hosts side by side."""
    with ThreadPoolExecutor() as pool:
        reports = pool.map(Subject.converge, subjects)
        return dict(zip([subject.role for subject in subjects], reports, strict=True))


def told(fleet: Fleet, role: str) -> dict[str, Any]:
    """What a host of a role is told by the fleet's files."""
    place, group, name = PLACES[role]
    host = node.Place(place, role, group, f"{name}.{place}")
    found: dict[str, Any] = node.attributes(fleet, host)["orchestrate"]
    return found


def fleet(key: str) -> Fleet:
    """The example fleet, with two people who have this public key, one who left, and a verifier."""
    found = load(EXAMPLE)
    users = {
        "ada": User(uid=2001, admin=True, keys=(key,)),
        "bob": User(uid=2003, gone=True, keys=(key,)),
        "grace": User(uid=2002, keys=(key,)),
        "vera": User(uid=2010, verifier=True, keys=(key,)),
    }
    return found.model_copy(update={"file": found.file.model_copy(update={"users": users})})


def without(subject: Subject, user: str) -> Subject:
    """The same host after somebody has left."""
    users = {name: one for name, one in subject.told["users"].items() if name != user}
    gone = sorted([*subject.told["gone_users"], user])
    return replace(subject, told={**subject.told, "users": users, "gone_users": gone})
