"""Runs the benchmarks, all or those named, and writes their sections of results.md."""

import importlib
import os
import sys
from pathlib import Path

from benchmarks.measure import Measurement
from benchmarks.report import UNITS, write

NAMES = [
    "help",
    "ledger",
    "fleet_scale",
    "orchestration",
    "terraform_overhead",
    "http_servers",
    "lab_api",
    "verify",
    "converge",
    "bake",
    "lab_hosts",
]


def main(wanted: list[str]) -> None:
    """Raises what a benchmark raises: a number that could not be taken is not left out silently."""
    results = {}
    load = os.getloadavg()[0]
    for name in wanted or NAMES:
        print(f"{name} …", file=sys.stderr)
        module = importlib.import_module(f"benchmarks.{name}")
        measurements = list(module.measure())
        results[name] = (module.__doc__ or "", measurements)
        for one in measurements:
            print("  " + _line(one))
    write(results, NAMES, Path(__file__).with_name("results.md"), load)


def _line(one: Measurement) -> str:
    target = (
        "" if one.target is None else f"(target {one.target:g}{UNITS[one.unit]}: {one.verdict})"
    )
    return f"{one.what:<44} {one.value:8.3g}{UNITS[one.unit]}  {target} {one.note}".rstrip()


if __name__ == "__main__":
    main(sys.argv[1:])
