"""Draws the pictures in docs/pictures from what the commands really print: `make pictures`.

The repository's fleet is applied in a lab of its own, so nothing of yours is touched; it takes
about five minutes, and needs what a lab with hosts needs.
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from orchestrate.lab.paths import FOLDER_VARIABLE

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
PROMPT = "\x1b[1;32m$\x1b[0m \x1b[1m{}\x1b[0m\n"


def main() -> None:
    """Write first-apply.svg (a terminal) and fleet.svg (the topology)."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "repository"
        root.mkdir()
        os.environ[FOLDER_VARIABLE] = f"{name}/lab"
        shutil.copytree(ROOT / "fleet", root / "fleet")
        for part in ("chef", "packer", "terraform", "tests"):
            (root / part).symlink_to(ROOT / part)
        run(root, "lab up --no-sites")
        try:
            run(root, "bootstrap")
            run(root, "bake base ssh-node")
            shown = [shell(root, "apply cluster-us-west --yes"), shell(root, "status")]
        finally:
            run(root, "lab down")
    (PICTURES / "first-apply.svg").write_text(terminal("\n".join(shown).replace(name, "~")))
    run(ROOT, f"graph --svg {PICTURES / 'fleet.svg'}")


def shell(root: Path, words: str) -> str:
    """A command as typed, and all that it prints, in colour."""
    return PROMPT.format(f"orchestrate {words}") + run(root, words)


def run(root: Path, words: str) -> str:
    """Output and errors of an orchestrate command on the repository at `root`, in colour."""
    command = [sys.executable, "-P", "-m", "orchestrate", "--root", str(root), *words.split()]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1"}
    done = subprocess.run(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{words}: {done.stdout}")
    return done.stdout


def terminal(text: str) -> str:
    """An SVG of a terminal that shows `text`; fonts are the reader's own, nothing is loaded."""
    content = Text.from_ansi(text)
    width = max(line.cell_len for line in content.split()) + 1
    with Path(os.devnull).open("w") as nowhere:
        screen = Console(record=True, width=width, file=nowhere, force_terminal=True)
        screen.print(content)
        drawn = screen.export_svg(title="orchestrate")
    drawn = re.sub(r"@font-face \{[^}]*\}\s*", "", drawn).replace("Fira Code", "monospace")
    return in_columns(drawn)


def in_columns(drawn: str) -> str:
    """A rich SVG whose every word has its own place.

    Rich places a run of words and says how long it is for its own font. A reader's font is wider or
    narrower, and many programs don't stretch: then each column stands somewhere else in each line.
    """
    return re.sub(
        r'<text class="([^"]*)" x="([\d.]+)" ([^>]*?)textLength="([\d.]+)" ([^>]*)>([^<]*)</text>',
        _words,
        drawn,
    )


def _words(run: re.Match[str]) -> str:
    kind, x, place, length, clip, text = run.groups()
    shown = html.unescape(text).rstrip("\n")
    cell = float(length) / max(cell_len(shown), 1)
    return "".join(
        f'<text class="{kind}" x="{float(x) + cell_len(shown[: word.start()]) * cell:g}" '
        f"{place}{clip}>{html.escape(word[0])}</text>"
        for word in re.finditer(r"[^\s\xa0]+", shown)
    )


if __name__ == "__main__":
    main()
