"""Where a lab keeps its things on this machine. Names only: opens and creates nothing."""

import os
from dataclasses import dataclass
from pathlib import Path

FOLDER_VARIABLE = "ORCHESTRATE_LAB_DIR"


@dataclass(frozen=True)
class LabFiles:
    """The files of one lab, all directly in its state folder. `hosts/` belongs to the hosts."""

    folder: Path

    @property
    def record(self) -> Path:
        """Who the daemon is and where its API listens; exists while a lab is up."""
        return self.folder / "lab.json"

    @property
    def lock(self) -> Path:
        """Held by the daemon for its life: one daemon per folder."""
        return self.folder / "daemon.lock"

    @property
    def log(self) -> Path:
        return self.folder / "lab.log"

    @property
    def cloud(self) -> Path:
        """What the API holds, for the next daemon."""
        return self.folder / "cloud.saved"

    @property
    def cloud_id(self) -> Path:
        """Which cloud this is: a new name each time that a lab begins with nothing in it."""
        return self.folder / "cloud.id"

    @property
    def sites(self) -> Path:
        """The sites whose racks this lab has, for the next daemon."""
        return self.folder / "sites.json"

    @property
    def disks(self) -> tuple[Path, ...]:
        """The folders of the hosts' disks and of the images made of them."""
        return self.folder / "hosts", self.folder / "layers"

    @property
    def identity(self) -> Path:
        """The operator's SSH key for this lab's hosts, made once; `.pub` stands beside it."""
        return self.folder / "id_ed25519"

    @property
    def public_key(self) -> Path:
        return self.folder / "id_ed25519.pub"

    @property
    def secret(self) -> Path:
        """What the lab's credentials are derived from, see `secret`; nobody else's to read."""
        return self.folder / "secret"

    @property
    def aws_config(self) -> Path:
        """An empty AWS profile, so that no profile of the user's reaches the lab's tools."""
        return self.folder / "aws-config"


def lab_files() -> LabFiles:
    """This user's lab: $ORCHESTRATE_LAB_DIR, else a fixed place for root and one for others."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return LabFiles(Path(given).absolute())
    if os.geteuid() == 0:
        return LabFiles(Path("/var/lib/orchestrate/lab"))
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return LabFiles(Path(state) / "orchestrate" / "lab")
