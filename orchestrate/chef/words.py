"""Words of cookbooks that no client of theirs knows: resources, properties, actions.

The stand-in is asked, which comes with the cookbooks and knows less than Chef: what it refuses
would fail on a lab's hosts. It reads the cookbooks and runs nothing of them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from orchestrate import shell
from orchestrate.findings import Finding, Place

READER = Path("stand-in", "bin", "unknown-words")
PACKAGES = "ohai ruby ruby-erubis ruby-iniparse"
_FOUND = re.compile(r"^(?P<file>/.+?):(?P<line>\d+): (?P<what>.*)$")
_FIX = "correct the word, or use what docs/guides/cookbooks.md allows"


def check(root: Path, chef: Path) -> Iterator[Finding]:
    """Every unknown word in the cookbooks of `chef`, by file and line; places from `root` on.

    Nothing where no stand-in comes with them. Raises MissingTool where there is no Ruby; a warning
    where Ruby lacks what the stand-in is made of.
    """
    reader = chef / READER
    if not reader.is_file():
        return
    argv = ["ruby", "-W0", "--disable=error_highlight", str(reader), str(chef / "cookbooks")]
    done = shell.run(argv, check=False, get_it="apt-get install ruby")
    if done.code:
        what = f"resources and properties were not checked: {_last(done.stderr)}"
        yield Finding(Place(chef.name), what, f"apt-get install {PACKAGES}", "warning")
        return
    for line in done.stdout.splitlines():
        if match := _FOUND.match(line):
            place = Place(str(Path(match["file"]).relative_to(root)), int(match["line"]))
            yield Finding(place, match["what"], _FIX)


def _last(said: str) -> str:
    """What Ruby says before its list of callers."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("\t")]
    return lines[0].partition(": ")[2] if lines else "the stand-in said nothing"
