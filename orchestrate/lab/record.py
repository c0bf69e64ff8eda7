"""The record of a running lab: what the daemon writes down and everybody else reads."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from orchestrate.lab import own_folder
from orchestrate.lab.paths import LabFiles

MAX_HOSTS = 40  # real ones at once, unless told otherwise: 2 cores carry them


@dataclass(frozen=True)
class LabRecord:
    """A daemon and its API.

    `born` is the process's start time in clock ticks since boot: with the pid it names one
    process for good, since pids are reused. `stage` is `ready`, or what the daemon is at.
    `hosts` says whether instances become real; if they were wanted and could not be, `why_no_hosts`
    is one line that says why. Instances beyond `max_hosts` stay in the API only. `moved` has the
    public address of each site's gateway, with the lab's own for it. `folder` is where it is kept.
    """

    pid: int
    born: int
    endpoint: str
    slot: int
    stage: str
    hosts: bool
    why_no_hosts: str = ""
    max_hosts: int = MAX_HOSTS
    moved: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def files(self) -> LabFiles:
        return LabFiles(Path(self.folder))

    @property
    def ready(self) -> bool:
        return self.stage == "ready"

    @property
    def alive(self) -> bool:
        """Whether the very process that wrote this still runs."""
        return birth(self.pid) == self.born


def birth(pid: int) -> int:
    """When a process began, in clock ticks since boot; 0 when there is none (or only a zombie)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    # The command, in parentheses, may hold spaces; see proc(5): state is field 3, starttime 22.
    fields = text.rpartition(")")[2].split()
    return 0 if fields[0] in "ZX" else int(fields[19])


def read(path: Path) -> LabRecord | None:
    """The record, or None when there is none. A half-written one cannot be: see `write`."""
    try:
        return LabRecord(**json.loads(path.read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):  # written by another version: as good as none
        return None


def write(path: Path, record: LabRecord) -> None:
    """Replace the record in one step."""
    own_folder.write(path, json.dumps(asdict(record), indent=1) + "\n")


def begin_cloud(files: LabFiles) -> None:
    """Give the cloud a new name: nothing is in it yet, or nothing any more."""
    own_folder.write(files.cloud_id, secrets.token_hex(4) + "\n")


def cloud_id(files: LabFiles) -> str:
    """The name of the cloud that the lab holds; "" where none was given."""
    try:
        return files.cloud_id.read_text().strip()
    except FileNotFoundError:
        return ""


def saved_slot(cloud: Path) -> int | None:
    """The slot of a saved cloud, see `saved_cloud`: its addresses are that slot's."""
    try:
        with cloud.open("rb") as file:
            return int(json.loads(file.readline())["slot"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
