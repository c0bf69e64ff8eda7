"""Files of Debian's archives, fetched once and kept for every lab of this user.

Kept files are dropped when nobody asked for them in KEEP_DAYS, and the longest unused ones beyond
LIMIT bytes: whenever a lab starts.
"""

import logging
import os
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock

from orchestrate import shell
from orchestrate.errors import LabError
from orchestrate.lab.packages.archives import ArchiveFile

# apt's own downloader: it knows this machine's proxies, certificates and passwords.
HELPER = "/usr/lib/apt/apt-helper"
OPTIONS = ("-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=1")
FETCH_TIMEOUT_S = 600.0
# An index that is not named by its hash: 40 hosts that update at once ask upstream once.
LIFE_S = 30.0
KEEP_DAYS = 30
LIMIT = 4 * 1024**3
LOCKS = 64

log = logging.getLogger("lab.packages")


class Absent(LabError):
    """The archive has no such file."""


@dataclass(frozen=True)
class Kept:
    """A kept file; `used` is when it was last asked for, in seconds since the epoch."""

    path: Path
    size: int
    used: float


class Store:
    """The kept files below `folder`. `upstreams` says where archives are; asked when needed.

    Safe between threads and between labs.
    """

    def __init__(self, folder: Path, upstreams: Callable[[], Mapping[str, str]]) -> None:
        self._folder = folder
        self._upstreams = upstreams

    def open(self, file: ArchiveFile) -> BinaryIO:
        """The file, fetched if it isn't kept. Raises Absent, LabError when it can't be had."""
        path = self._folder / file.path
        if not _fresh(path, file):
            with FileLock(self._lock(file)):
                if not _fresh(path, file):
                    self._refresh(file, path)
        if file.lasting:
            os.utime(path)
        return path.open("rb")

    def prune(self) -> None:
        """Drop what is kept too long or too much."""
        for path in surplus(self._kept(), time.time()):
            path.unlink(missing_ok=True)

    def _kept(self) -> list[Kept]:
        found = [(path, path.stat()) for path in self._folder.rglob("*") if path.is_file()]
        return [Kept(path, stat.st_size, stat.st_mtime) for path, stat in found]

    def _lock(self, file: ArchiveFile) -> Path:
        # A few locks for all files: one for each would leave as many empty files behind.
        folder = self._folder / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{zlib.crc32(file.path.encode()) % LOCKS}.lock"

    def _refresh(self, file: ArchiveFile, path: Path) -> None:
        try:
            self._fetch(file, path)
        except Absent:
            raise
        except LabError as failure:
            # Without a way out, what was current a while ago serves; apt minds its own dates.
            if not path.exists():
                raise
            log.warning("%s: the kept one serves: %s", file.path, failure.what)

    def _fetch(self, file: ArchiveFile, path: Path) -> None:
        upstreams = self._upstreams()
        if file.archive not in upstreams:
            raise LabError(f"this machine's apt has no source for {file.archive}")
        url = f"{upstreams[file.archive]}{file.rest}"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{secrets.token_hex(4)}.part")
        expected = [f"SHA256:{file.digest}"] if file.digest else []
        argv = [HELPER, *OPTIONS, "download-file", url, str(part), *expected]
        try:
            done = shell.run(argv, check=False, timeout_s=FETCH_TIMEOUT_S, get_it="apt")
            if done.code:
                raise _failure(url, done.stderr)
            os.utime(part)  # the archive's date says nothing of when we asked
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def surplus(files: Iterable[Kept], now: float) -> list[Path]:
    """Which kept files to drop, by the rule of this module. Pure."""
    total, dropped = 0, []
    for kept in sorted(files, key=lambda one: one.used, reverse=True):
        total += kept.size
        if total > LIMIT or now - kept.used > KEEP_DAYS * 86400:
            dropped.append(kept.path)
    return dropped


def _fresh(path: Path, file: ArchiveFile) -> bool:
    try:
        age = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return False
    return file.lasting or 0 <= age < LIFE_S


def _failure(url: str, said: str) -> LabError:
    """What apt's downloader meant, from its last words."""
    reasons = [line for line in said.splitlines() if line.startswith("E: Failed to fetch")]
    reason = (reasons[-1] if reasons else shell.tail(said)).partition(url)[2].strip() or said
    if reason.startswith("404"):
        return Absent(f"the archive has no {url}")
    return LabError(f"no Debian archive within reach: {reason}", where=url)
