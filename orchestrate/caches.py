"""Where things are kept: what takes long to make, outside any checkout, so that clones share it;
and what runs leave behind, in the checkout.
"""

import os
from contextlib import suppress
from pathlib import Path


def cache_folder() -> Path:
    """`$ORCHESTRATE_CACHE`, else `orchestrate` in the user's cache (XDG base directories)."""
    given = os.environ.get("ORCHESTRATE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "orchestrate"


def private_folder(folder: Path) -> None:
    """Have a folder that its owner alone enters: there are whole systems in it, with programs that
    run as root for whoever starts them, and files that were secret in them; or saved plans.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


def work_folder(root: Path) -> Path:
    """Where the runs of a checkout leave rendered roots, journals, plans and logs.

    That is its `.orchestrate`, or where the checkout is read-only a folder of its own in the cache:
    planning, listing and verifying write nothing that belongs into the checkout. It is its owner's
    alone: a saved plan has values of Terraform's state in it, pre-shared keys among them.
    """
    folder = _work_folder(root)
    with suppress(OSError):  # on a disk that is full or read-only, who writes there will say so
        private_folder(folder)
    return folder


def _work_folder(root: Path) -> Path:
    inside = root / ".orchestrate"
    if os.access(inside if inside.exists() else root, os.W_OK):
        return inside
    # Loads OpenSSL, which `--help` need not wait for.
    from hashlib import sha256

    name = f"{root.name}-{sha256(str(root.resolve()).encode()).hexdigest()[:12]}"
    return cache_folder() / "work" / name
