"""`orchestrate --help`: the wait before every command, so under 100 ms, the limit of "at once".

Beside it what cannot be avoided: the interpreter alone, and the smallest click program. Both
`python -m orchestrate` and the wrapper, which also finds the environment, are measured.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement, Side, in_turns, program

ROOT = Path(__file__).resolve().parents[1]
TARGET_MS = 100.0
TARGET_RATIO = 1.5
SMALLEST = "import click\n@click.command()\ndef cli(): pass\ncli(['--help'])"


def measure(rounds: int = 20) -> Iterator[Measurement]:
    """Milliseconds from start to exit."""
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    python = sys.executable
    programs = {
        "python alone": program(python, "-c", "pass"),
        "smallest click program": program(python, "-c", SMALLEST),
        "python -m orchestrate --help": program(
            python, "-P", "-m", "orchestrate", "--help", env=here
        ),
        "bin/orchestrate --help": program(ROOT / "bin" / "orchestrate", "--help"),
    }
    medians = in_turns(rounds, {what: Side(work) for what, work in programs.items()})
    for what, taken in medians.items():
        target = TARGET_MS if "orchestrate" in what else None
        yield Measurement(what, taken * 1000, "ms", target)
    ratio = medians["python -m orchestrate --help"] / medians["smallest click program"]
    what = "python -m orchestrate --help : smallest click program"
    yield Measurement(what, ratio, "x", TARGET_RATIO)
