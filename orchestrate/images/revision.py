"""Which commit of the repository something is made from."""

from dataclasses import dataclass
from pathlib import Path, PurePath

from orchestrate import shell
from orchestrate.content import counts as content
from orchestrate.errors import MissingTool

# NUL after each, as the names are; every new file by itself, not its folder.
STATUS = ("status", "--porcelain", "-z", "--untracked-files=all")


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
        changed = shell.run([*git, *STATUS, "--", *counts], check=False)
    except MissingTool:
        return Revision()
    return Revision(head.stdout.strip(), _dirty(changed.stdout))


def _dirty(status: str) -> bool:
    """Whether anything but what is no content anyway was changed or added. Pure."""
    entries = filter(None, status.split("\0"))
    return any(not entry.startswith("?? ") or content(PurePath(entry[3:])) for entry in entries)
