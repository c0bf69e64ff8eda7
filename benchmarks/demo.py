"""The parts of `make demo`, warm: what it bakes is kept from before, tested and published again.

The demo is run as a user runs it, once, in a lab of its own, and says itself how long each step
took. Steps marked "(beside)" go on while others do. Then what the site's racks cost: processor time
of their own control groups, which depends little on who else uses the machine.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement
from orchestrate.lab import cgroups
from orchestrate.lab.client import running
from orchestrate.lab.paths import FOLDER_VARIABLE, LabFiles
from orchestrate.lab.spec import prefix

ROOT = Path(__file__).resolve().parents[1]
ORCHESTRATE = ROOT / "bin" / "orchestrate"
TARGET_S, RACKS_TARGET_S = 120.0, 90.0
IMAGES = ("base", "ssh-node", "cpu-worker")
WHOLE, RACKS = "the whole", "*.site-sf"
PATIENCE_S = 1200
STEP = re.compile(r"^  (\S.*?) +(\d+) s$", re.MULTILINE)


def measure() -> Iterator[Measurement]:
    """Seconds. Raises RuntimeError, with the demo's last words, where it doesn't end well."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        files = LabFiles(Path(folder))
        try:
            # What is not baked yet is now, and kept: only then is the next one warm.
            for command in (("lab", "up"), ("bootstrap",), ("bake", *IMAGES), ("lab", "down")):
                _run(folder, ORCHESTRATE, *command)
            said = _run(folder, sys.executable, ROOT / "scripts" / "demo.py")
            racks = _processor_s(running(files).slot)
        finally:
            _run(folder, ORCHESTRATE, "lab", "down")
    for what, seconds in steps(said).items():
        yield Measurement(what, seconds, "s", TARGET_S if what == WHOLE else None)
    yield Measurement("the racks: processor time", racks, "s", RACKS_TARGET_S)


def steps(said: str) -> dict[str, float]:
    """The table at the end of a demo: seconds of each step, the whole last."""
    table = said.rpartition("\n\n")[2]
    return {what: float(seconds) for what, seconds in STEP.findall("\n" + table)}


def _run(folder: str, *argv: object) -> str:
    here = {name: value for name, value in os.environ.items() if name != "ORCHESTRATE_LAB_IMAGES"}
    done = subprocess.run(
        [str(word) for word in argv],
        env={**here, FOLDER_VARIABLE: folder},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    if done.returncode:
        raise RuntimeError(f"{argv} exited {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def _processor_s(slot: int) -> float:
    groups = [host for each in cgroups.of_lab(prefix(slot)) for host in each.glob(RACKS)]
    return sum(map(_used_s, groups))


def _used_s(group: Path) -> float:
    """Of a group in the hierarchy of version 2, which machines with version 1 have beside it."""
    file = group / "cpu.stat"
    told = dict(map(str.split, file.read_text().splitlines())) if file.exists() else {}
    return int(told.get("usage_usec", 0)) / 1e6
