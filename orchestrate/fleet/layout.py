"""Which files make up a fleet, and which only look as if they did. Lists folders, opens nothing."""

from collections.abc import Iterator
from pathlib import Path, PurePath

from orchestrate.content import counts
from orchestrate.findings import Finding, Place
from orchestrate.fleet.wording import nearest

FOLDERS = ("clusters", "sites")
FILES = ("fleet.yaml", "addresses.lock.yaml", "images.lock.yaml")


def yaml_files(folder: Path) -> list[Path]:
    """The files of one kind, in order of their names; none where the folder is missing."""
    return sorted(path for path in folder.glob("*.yaml") if not path.name.startswith("."))


def misplaced(folder: Path) -> Iterator[Finding]:
    """Files that somebody may think are read, and aren't."""
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*.y*ml")):
        parts = path.relative_to(folder).parts
        if not counts(PurePath(*parts)):
            continue
        place = Place(str(path.relative_to(folder.parent)))
        if path.suffix == ".yml":
            yield Finding(place, "this file is not read", f"rename it to {path.stem}.yaml")
        elif len(parts) == 1 and parts[0] not in FILES:
            fix = "move it to clusters/ or sites/"
            yield Finding(place, "this file is not read", fix, "warning")
        elif len(parts) > 1 and (parts[0] not in FOLDERS or len(parts) > 2):
            fix = f"move it to clusters/ or sites/; {nearest(parts[0], FOLDERS)}"
            yield Finding(place, "this file is not read", fix, "warning")
