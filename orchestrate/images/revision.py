"""Which commit of the repository something is made from."""

from dataclasses import dataclass
from pathlib import Path

from orchestrate import shell
from orchestrate.errors import MissingTool


@dataclass(frozen=True)
class Revision:
    """git's commit, "" where there is no repository; `dirty` if what counts was changed since."""

    commit: str = ""
    dirty: bool = False


def of(root: Path, *counts: str) -> Revision:
    """The revision of the repository at `root`; `counts` are the folders whose changes count."""
    # As root in somebody else's checkout, git would otherwise refuse.
    git = ["git", "-c", "safe.directory=*", "-C", str(root)]
    try:
        head = shell.run([*git, "rev-parse", "--short=12", "HEAD"], check=False)
        if head.code:
            return Revision()
        changed = shell.run([*git, "status", "--porcelain", "--", *counts], check=False)
    except MissingTool:
        return Revision()
    return Revision(head.stdout.strip(), bool(changed.stdout.strip()))
