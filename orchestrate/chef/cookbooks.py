"""Cookbooks and those they depend on."""

import re
from collections.abc import Iterable
from pathlib import Path

from orchestrate.errors import OrchestrateError

# metadata.rb is Ruby, of which this is the one line that matters before Chef reads it.
_DEPENDS = re.compile(r"""^\s*depends[\s(]+['"](?P<name>[\w-]+)['"]""", re.MULTILINE)


def closure(chef: Path, names: Iterable[str]) -> list[str]:
    """The cookbooks and all that they depend on, sorted.

    Raises OrchestrateError for a dependency that isn't there.
    """
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += depends(chef, name)
    return sorted(found)


def depends(chef: Path, name: str) -> list[str]:
    """What a cookbook's metadata.rb says it depends on."""
    file = chef / "cookbooks" / name / "metadata.rb"
    if not file.is_file():
        raise OrchestrateError(
            f"cookbook '{name}' has no metadata.rb",
            where=str(file),
            fix="write its name and version",
        )
    needed = _DEPENDS.findall(file.read_text(encoding="utf-8"))
    for other in needed:
        if not (chef / "cookbooks" / other).is_dir():
            raise OrchestrateError(
                f"cookbook '{name}' depends on '{other}', which isn't there",
                where=str(file),
                fix="add the cookbook, or correct its name",
            )
    return needed
