"""The lab's state folder is its owner's alone: mode 0700, files 0600, and anybody else's refused.

A lab that runs as root would otherwise take from another user's hand what the cloud holds, which
key opens its hosts and what they boot from.
"""

import os
from pathlib import Path

from orchestrate.caches import cache_folder
from orchestrate.errors import LabError
from orchestrate.lab.paths import FOLDER_VARIABLE, LabFiles
from orchestrate.strict_modes import distrusted

OWN = 0o700


def make(files: LabFiles) -> None:
    """Have the folder. Raises LabError when it, or what is in it, may be somebody else's doing."""
    check(files)
    files.folder.mkdir(mode=OWN, parents=True, exist_ok=True)
    # Of a lab before this rule; nobody could write there, as was just seen.
    files.folder.chmod(OWN)
    check_caches()


def check(files: LabFiles) -> None:
    """Refuse a folder that isn't ours alone to write; one that isn't there is fine.

    Raises LabError.
    """
    why = distrusted(files.folder) or _anothers(files.folder)
    if not why and os.access(files.folder, os.R_OK):
        found = (distrusted(each) for each in sorted(files.folder.iterdir()))
        why = next(filter(None, found), "")
    if why:
        fix = f"be that user (sudo), or set {FOLDER_VARIABLE} to a folder of your own"
        raise LabError(f"not a lab of yours: {why}", where=str(files.folder), fix=fix)


def check_caches() -> None:
    """Refuse a cache that others may write: hosts boot from it, and trust the authority in it.

    Raises LabError.
    """
    cache = cache_folder()
    parts = [cache, *(sorted(cache.iterdir()) if cache.is_dir() else ())]
    if why := next(filter(None, map(distrusted, parts)), ""):
        fix = "set ORCHESTRATE_CACHE to a folder of your own; with sudo, leave HOME to it (sudo -H)"
        raise LabError(f"not a cache of yours: {why}", where=str(cache), fix=fix)


def write(path: Path, content: str | bytes) -> None:
    """Replace a file of the folder in one step, mode 0600: a reader sees the old or the new one."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    fresh.replace(path)


def _anothers(folder: Path) -> str:
    """Root's is trusted, but not ours to use."""
    ours = not folder.exists() or folder.stat().st_uid == os.geteuid()
    return "" if ours else f"{folder} belongs to root"
