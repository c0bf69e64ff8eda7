"""Images made of hosts: each is a layer, a copy of what a host's disk has above the layers below.

Named by the snapshot that EC2 has of it. A host launched from an image mounts the layers of its
image read-only under its own; nothing is ever written to one.
"""

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

from orchestrate import shell
from orchestrate.errors import LabError
from orchestrate.lab.disk import Disk


class Layers:
    """The layers of one lab, in `folder`. Safe between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._failed: dict[str, str] = {}
        self._lock = threading.Lock()

    def folders(self, names: Sequence[str]) -> list[Path]:
        """Where these layers are, from the top down. Raises LabError for one that is not there."""
        found = [self.folder / name for name in names]
        missing = [path.name for path in found if not path.is_dir()]
        if missing:
            raise LabError(f"the image's layer {missing[0]} is gone", where=str(self.folder))
        return found

    def state(self, name: str) -> str:
        """ "copying", "whole", or why it could not be copied."""
        if (self.folder / name).is_dir():
            return "whole"
        with self._lock:
            return self._failed.get(name, "copying")

    def copy(self, disk: Disk, name: str) -> None:
        """Make a layer of a disk; what is half copied does not count. Raises CommandFailed."""
        unfinished = self.folder / f"{name}.unfinished"
        unfinished.mkdir(parents=True)
        # cp keeps what overlayfs tells by: devices 0:0 for what is gone, `trusted.` attributes.
        parts = [str(disk.upper), str(disk.containerd)]
        shell.run(["cp", "--archive", "--reflink=auto", *parts, str(unfinished)])
        unfinished.rename(self.folder / name)

    def fail(self, name: str, why: str) -> None:
        """Remember why there will be no such layer, and remove what there is of it."""
        with self._lock:
            self._failed[name] = why
        shutil.rmtree(self.folder / f"{name}.unfinished", ignore_errors=True)

    def prune(self, needed: set[str]) -> None:
        """Remove all other layers; those that are being copied are needed too."""
        if not self.folder.is_dir():
            return
        for path in self.folder.iterdir():
            if path.name.partition(".")[0] not in needed:
                shutil.rmtree(path)


def upper(layer: Path) -> Path:
    """What differs from the layers below."""
    return Disk(layer).upper


def copy_containerd(layer: Path, disk: Disk) -> None:
    """Give a new disk the containers of its image: overlayfs cannot stand on overlayfs."""
    kept = Disk(layer).containerd
    if any(kept.iterdir()) and not any(disk.containerd.iterdir()):
        shell.run(["cp", "--archive", "--reflink=auto", f"{kept}/.", str(disk.containerd)])
