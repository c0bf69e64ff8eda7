"""Runs the benchmarks, all or those named, and writes their sections of results.md."""

import importlib
import os
import sys
import time
import traceback
from pathlib import Path

from benchmarks.measure import Measurement, Section
from benchmarks.report import UNITS, write

# In the order of the record, with about how many seconds each takes on two idle cores.
TAKES_S = {
    "help": 10,
    "ledger": 10,
    "fleet_scale": 40,
    "orchestration": 60,
    "terraform_overhead": 400,
    "http_servers": 10,
    "lab_api": 60,
    "verify": 400,
    "converge": 240,
    "bake": 80,
    "lab_hosts": 60,
    "demo": 200,
}
NAMES = list(TAKES_S)


def main(wanted: list[str]) -> None:
    """Each is written down as soon as it is measured, and one that fails ends no other.

    Exits with 1, naming those that failed: a number that could not be taken is not left out
    silently.
    """
    # A bake that only tests what was baked before is none to measure.
    os.environ["ORCHESTRATE_LAB_IMAGES"] = ""
    failed = []
    names = wanted or NAMES
    about = sum(TAKES_S.get(name, 0) for name in names)
    print(f"about {about / 60:.0f} min on two idle cores", file=sys.stderr)
    for name in names:
        print(f"{name} … about {TAKES_S.get(name, 0)} s", file=sys.stderr)
        try:
            section = _measured(name)
        except Exception:  # whatever it is, the others are still to be measured
            traceback.print_exc()
            failed.append(name)
            continue
        for one in section.measurements:
            print("  " + _line(one))
        write(name, section, NAMES, Path(__file__).with_name("results.md"))
    if failed:
        sys.exit(f"failed, and what results.md says of them is old: {', '.join(failed)}")


def _measured(name: str) -> Section:
    load, begun = os.getloadavg()[0], time.monotonic()
    module = importlib.import_module(f"benchmarks.{name}")
    measurements = tuple(module.measure())
    return Section(module.__doc__ or "", measurements, load, time.monotonic() - begun)


def _line(one: Measurement) -> str:
    target = (
        "" if one.target is None else f"(target {one.target:g}{UNITS[one.unit]}: {one.verdict})"
    )
    return f"{one.what:<44} {one.value:8.3g}{UNITS[one.unit]}  {target} {one.note}".rstrip()


if __name__ == "__main__":
    main(sys.argv[1:])
