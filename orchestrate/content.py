"""Which of the files in a folder are its content, and which only lie there.

Cookbooks, roles, modules and the fleet are what people wrote, not what their editors, systems and
version control left beside it. The list decides, not git: a tarball has the same content.
"""

import re
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path, PurePath

IGNORED = (
    # editors: backups, swap files, locks (Emacs's is a link to nowhere), what a merge left
    *("*~", "#*#", ".#*", ".*.sw[a-p]", "*.sw[op]", "4913", "*.bak", "*.orig", "*.rej", "*.tmp"),
    *(".~lock.*#", "*.kate-swp", "*_flymake.*", ".idea", ".vscode", ".settings", ".project"),
    *(".editorconfig", ".envrc"),
    # systems: macOS, Windows, KDE, files that NFS and FUSE keep until nobody has them open
    *(".DS_Store", "._*", "Thumbs.db", "desktop.ini", ".directory", ".nfs*", ".fuse_hidden*"),
    # version control
    *(".git", ".gitignore", ".gitattributes", ".gitmodules", ".gitkeep", ".hg", ".svn"),
    # what tools keep, and what tells them how to look at the files
    *("__pycache__", "*.pyc", ".pytest_cache", ".bundle", ".kitchen*", ".rspec", ".rubocop*"),
    *(".terraform", "nohup.out"),
)
"""Names of files and folders, as a shell's patterns; Chef's own `chefignore` has most of them."""

_IGNORED = re.compile("|".join(map(translate, IGNORED)))


def counts(path: PurePath) -> bool:
    """Whether a file is content, by its `path` below the folder in question. Pure."""
    return not any(map(_IGNORED.match, path.parts))


def files(folder: Path) -> Iterator[Path]:
    """All files below a folder that are its content, in order of their paths."""
    for path in sorted(folder.rglob("*")):
        if counts(path.relative_to(folder)) and path.is_file():
            yield path
