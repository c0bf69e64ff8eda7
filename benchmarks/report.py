"""Writes results.md: the machine, then each benchmark's numbers beside their targets."""

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Measurement

UNITS = {"ms": " ms", "s": " s", "x": "×", "MiB": " MiB", "/s": "/s"}


HEAD = """\
# Benchmarks

Made by `make bench`; what is compared was run in turns within one run, medians are shown, and a
target is the most that a value should be. A load above one before a benchmark began means that
others used the machine too: times are long then, and only ratios tell.
"""

Results = Mapping[str, tuple[str, Sequence[Measurement]]]


def report(kept: str, results: Results, order: Sequence[str], day: datetime, load: float) -> str:
    """The text of results.md with new sections for `results`, those of `kept` else.

    `kept` is the file as it was, `results`: benchmark -> its docstring and measurements, `order`
    all names there are. `load` is the machine's load average before the first benchmark: what
    others were doing.
    """
    sections = dict(_sections(kept))
    measured = f"Measured on {day:%Y-%m-%d} at a load of {load:.1f}; {machine()}."
    for name, (docstring, measurements) in results.items():
        rows = ["| what | measured | target | |", "| --- | ---: | ---: | --- |"]
        rows += [_row(one) for one in measurements]
        sections[name] = "\n".join([docstring.strip() + "\n", measured + "\n", *rows, ""])
    return HEAD + "".join(f"\n## {name}\n\n{sections[name]}" for name in order if name in sections)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    for section in text.split("\n## ")[1:]:
        name, _, rest = section.partition("\n\n")
        yield name, rest.rstrip("\n") + "\n"


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


def write(results: Results, order: Sequence[str], file: Path, load: float) -> None:
    kept = file.read_text() if file.exists() else ""
    file.write_text(report(kept, results, order, datetime.now(UTC), load))
    print(f"written: {file}", file=sys.stderr)
