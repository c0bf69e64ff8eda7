"""Images that outlive their lab: an AWS account has its AMIs tomorrow, a lab ends today (ADR 12).

Each is a folder in the user's cache: its layer, whose files are hard links to the lab's (nothing
is ever written to a layer), and `image.json`. It gets its name when it is whole, so a process that
is killed leaves nothing that counts; labs that run side by side take turns. What is kept belongs to
the one root file system it was made on.
"""

import hashlib
import json
import logging
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from orchestrate import shell
from orchestrate.caches import cache_folder, private_folder
from orchestrate.errors import CommandFailed, LabError
from orchestrate.strict_modes import distrusted

FOLDER_VARIABLE = "ORCHESTRATE_LAB_IMAGES"
# The images of two generations of a large fleet; a role with a GPU's programs takes half a GiB.
MOST_BYTES = 8 * 2**30
FORMAT = 2
DOCUMENT, LAYER, UNFINISHED = "image.json", "layer", ".unfinished"

log = logging.getLogger("lab.images")


@dataclass(frozen=True)
class KeptImage:
    """An AMI as it was, less its id. `layer` is the name of its own layer, `below` are those it
    stands on, the top first; `login` is the image's own, `created` as EC2 tells it (RFC 3339).
    """

    layer: str
    below: tuple[str, ...]
    account: str
    region: str
    name: str
    description: str
    architecture: str
    root_device: str
    login: str
    created: str
    tags: Mapping[str, str]


def folder() -> Path | None:
    """Where images are kept: `$ORCHESTRATE_LAB_IMAGES`, else in the user's cache. None where that
    is set and empty: then none are.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given is None:
        return cache_folder() / "images"
    return Path(given).absolute() if given else None


class KeptImages:
    """The images kept in `folder` that stand on the root file system `root`. Safe between threads
    and processes. Every method raises OSError, or LabError for a folder that others may write.
    """

    def __init__(self, folder: Path, root: str, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._root = root
        self._most_bytes = most_bytes

    def keep(self, image: KeptImage, layer: Path) -> None:
        """Keep an image, or what is now known of it. Raises CommandFailed."""
        with self._alone():
            place = self._folder / image.layer
            if self._read(place):
                _write(place, {**_document(place), "image": asdict(image)})
            else:
                self._remove(place)
                self._make(place, image, layer)
            self._bound()

    def forget(self, layer: str) -> None:
        """Keep the image with this layer no longer; nothing if it isn't kept."""
        with self._alone():
            self._remove(self._folder / layer)

    def whole(self) -> list[KeptImage]:
        """All that can be used, oldest first. What is damaged, or misses what it stands on, or
        stands on another root file system, is left out.
        """
        with self._alone():
            documents = {place.name: self._read(place) for place in self._places()}
        found = {name: one for name, one in documents.items() if one}
        return sorted(
            (one for one in found.values() if found.keys() >= set(one.below)),
            key=lambda one: (one.created, one.layer),
        )

    def give(self, layer: str, to: Path) -> None:
        """Make a kept layer the folder `to`, which isn't there yet. Raises CommandFailed."""
        with self._alone():
            link(self._folder / layer / LAYER, to)

    def _places(self) -> list[Path]:
        return [path for path in self._folder.iterdir() if path.is_dir()]

    def _make(self, place: Path, image: KeptImage, layer: Path) -> None:
        unfinished = place.with_name(f"{place.name}{UNFINISHED}")
        unfinished.mkdir()
        link(layer, unfinished / LAYER)
        content, size = census(unfinished / LAYER)
        held = {"format": FORMAT, "root": self._root, "census": content, "bytes": size}
        _write(unfinished, {**held, "image": asdict(image)})
        unfinished.rename(place)

    def _read(self, place: Path) -> KeptImage | None:
        """The image in a folder; None, and a line in the log, where it cannot be used."""
        if not place.exists():
            return None
        try:
            held = _document(place)
            if (held["format"], held["root"]) != (FORMAT, self._root):
                return None
            image = KeptImage(**{**held["image"], "below": tuple(held["image"]["below"])})
            if (image.layer, held["census"]) == (place.name, census(place / LAYER)[0]):
                return image
            log.warning("%s is damaged and not used", place)
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.warning("%s cannot be read and is not used: %s", place, error)
        return None

    def _bound(self) -> None:
        """Remove the oldest of what is more than there may be."""
        left = self._most_bytes
        by_age = {place: _made(place) for place in self._places()}
        for place in sorted(by_age, key=lambda one: by_age[one], reverse=True):
            left -= by_age[place][1]
            if left < 0:
                self._remove(place)

    def _remove(self, place: Path) -> None:
        """By another name first: half of a folder must not look like one."""
        if place.exists():
            gone = place.with_name(f"{place.name}{UNFINISHED}")
            place.rename(gone)
            shutil.rmtree(gone)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the folder; what a killed process left in it goes first."""
        # Elsewhere than in the cache, where `own_folder` looks.
        if why := distrusted(self._folder):
            raise LabError(f"not images of yours: {why}", where=str(self._folder))
        private_folder(self._folder)
        with FileLock(self._folder / ".lock"):
            for left in self._folder.glob(f"*{UNFINISHED}"):
                shutil.rmtree(left)
            yield


def link(source: Path, target: Path) -> None:
    """Copy a layer by hard links, or file by file where the two lie on different file systems.

    Raises CommandFailed; nothing is left of the target then.
    """
    for how in ("--link", "--reflink=auto"):
        try:
            shell.run(["cp", "--archive", how, str(source), str(target)])
            return
        except CommandFailed:
            shutil.rmtree(target, ignore_errors=True)
            if how != "--link":
                raise


def census(layer: Path) -> tuple[str, int]:
    """A digest of what a layer consists of, and its size in bytes.

    Of every file the name, the owner, the mode, the size, and when it was written: what a copy cut
    short, a full disk or a power failure damages. Contents are not read.
    """
    digest, size = hashlib.sha256(), 0
    for folder, folders, files in os.walk(layer):
        folders.sort()
        for name in sorted([*folders, *files]):
            path = Path(folder, name)
            seen = path.lstat()
            # Not `is_dir`: a link is a link, whatever it leads to on this machine.
            of_file = (
                () if stat.S_ISDIR(seen.st_mode) else (seen.st_size, seen.st_mtime_ns, seen.st_rdev)
            )
            own = (str(path.relative_to(layer)), seen.st_mode, seen.st_uid, seen.st_gid, *of_file)
            digest.update(f"{own}\n".encode())
            size += seen.st_blocks * 512
    return digest.hexdigest(), size


def _document(place: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((place / DOCUMENT).read_text(encoding="utf-8"))
    return held


def _write(place: Path, document: Mapping[str, Any]) -> None:
    fresh = place / f"{DOCUMENT}.new"
    fresh.write_text(json.dumps(document, indent=2), encoding="utf-8")
    fresh.replace(place / DOCUMENT)


def _made(place: Path) -> tuple[str, int]:
    """When an image was made, and its size; one that cannot be read is the oldest, and huge."""
    try:
        held = _document(place)
        return str(held["image"]["created"]), int(held["bytes"])
    except (OSError, ValueError, TypeError, KeyError):
        return "", 2**60
