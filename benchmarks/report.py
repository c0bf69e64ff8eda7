"""Writes results.md: the machine, then each benchmark's numbers beside their targets."""

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Measurement

UNITS = {"ms": " ms", "s": " s", "x": "×", "MiB": " MiB", "/s": "/s"}


Results = Mapping[str, tuple[str, Sequence[Measurement]]]


def report(results: Results, day: datetime, load: float) -> str:
    """The text of results.md. `results`: benchmark -> its docstring and measurements.

    `load` is the machine's load average before the first benchmark: what others were doing.
    """
    parts = [
        "# Benchmarks\n",
        f"Made by `make bench` on {day:%Y-%m-%d}; {machine()}.",
        f"The load average was {load:.1f} before the first one: on a machine that others use, too,",
        "times are long and only ratios tell. What is compared was run in turns within one run,",
        "medians are shown, and a target is the most that a value should be.\n",
    ]
    for name, (docstring, measurements) in results.items():
        parts += [f"## {name}\n", docstring.strip() + "\n"]
        parts += ["| what | measured | target | |", "| --- | ---: | ---: | --- |"]
        parts += [_row(one) for one in measurements]
        parts.append("")
    return "\n".join(parts)


def _row(one: Measurement) -> str:
    target = "" if one.target is None else f"{one.target:g}{UNITS[one.unit]}"
    remark = ", ".join(filter(None, (one.verdict, one.note)))
    return f"| {one.what} | {one.value:.3g}{UNITS[one.unit]} | {target} | {remark} |"


def machine() -> str:
    """Cores, memory and versions: what a reader needs to compare with his own."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    python = platform.python_version()
    return (
        f"{os.cpu_count()} cores ({_processor()}), {memory:.0f} GiB, "
        f"Linux {platform.release().split('-')[0]}, Python {python}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def write(results: Results, file: Path, load: float) -> None:
    file.write_text(report(results, datetime.now(UTC), load))
    print(f"written: {file}", file=sys.stderr)
