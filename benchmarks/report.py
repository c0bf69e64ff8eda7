"""Writes results.md: the machine, then each benchmark's numbers beside their targets."""

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Measurement, Section

UNITS = {"ms": " ms", "s": " s", "x": "×", "MiB": " MiB", "/s": "/s"}


HEAD = """\
# Benchmarks

Made by `make bench`; what is compared was run in turns within one run, medians are shown, and a
target is the most that a value should be; beside it stands what was measured as a multiple of
it. A load above one before a benchmark began means that
others used the machine too: times are long then, and only ratios tell.
"""


def report(kept: str, name: str, section: Section, order: Sequence[str], day: datetime) -> str:
    """The text of results.md with a new section for one benchmark, those of `kept` else.

    `kept` is the file as it was, `order` the names of all benchmarks.
    """
    sections = dict(_sections(kept))
    measured = (
        f"Measured on {day:%Y-%m-%d} in {section.seconds:.0f} s at a load of {section.load:.1f}; "
        f"{machine()}."
    )
    rows = ["| what | measured | target | of it | |", "| --- | ---: | ---: | ---: | --- |"]
    rows += [_row(one) for one in section.measurements]
    sections[name] = "\n".join([section.about.strip() + "\n", measured + "\n", *rows, ""])
    return HEAD + "".join(f"\n## {name}\n\n{sections[name]}" for name in order if name in sections)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    for section in text.split("\n## ")[1:]:
        name, _, rest = section.partition("\n\n")
        yield name, rest.rstrip("\n") + "\n"


def _row(one: Measurement) -> str:
    target = "" if one.target is None else f"{one.target:g}{UNITS[one.unit]}"
    remark = ", ".join(filter(None, (one.verdict, one.note)))
    value = f"{one.value:.3g}{UNITS[one.unit]}"
    return f"| {one.what} | {value} | {target} | {one.of_target} | {remark} |"


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


def write(name: str, section: Section, order: Sequence[str], file: Path) -> None:
    kept = file.read_text() if file.exists() else ""
    file.write_text(report(kept, name, section, order, datetime.now(UTC)))
    print(f"written: {file}", file=sys.stderr)
