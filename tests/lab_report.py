"""What happened in the labs of a run, told at its end: none of it may.

Every lab that the tests start, in whatever process, adds to one file (`orchestrate.lab.incidents`).
A call that came twice unasked, or an exception of the lab's API, makes the run fail; what else of
a lab broke is told. A test that makes such things happen on purpose names a file of its own.
"""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrate.lab.incidents import REPORT_VARIABLE

API = ("lab.api", "lab.http")


class LabReport:
    """The plugin: in the run's first process it makes the file, reads and removes it."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="labs-", suffix=".jsonl")
        os.close(handle)
        self._file = Path(name)
        os.environ[REPORT_VARIABLE] = name
        self._lines: list[dict[str, Any]] = []

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._lines = [json.loads(line) for line in self._file.read_text().splitlines()]
        self._file.unlink()
        if any(map(fails, self._lines)) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines:
            terminalreporter.section("labs")
            for line in told(self._lines):
                terminalreporter.line(line)


def fails(line: Mapping[str, Any]) -> bool:
    """Whether such a line makes a run fail."""
    return line["kind"] == "twice" or (line["kind"] == "exception" and line["source"] in API)


def told(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """The end of a test run: how many calls, then each kind of incident once."""
    every = list(lines)
    calls = sum(line["calls"] for line in every if line["kind"] == "totals")
    twice = sum(line["kind"] == "twice" for line in every)
    broke = sum(line["kind"] == "exception" for line in every)
    said = Counter(_said(line) for line in every if line["kind"] != "totals")
    counts = f"{calls:,} calls: {twice} came twice without a fault, {broke} exceptions"
    return [counts, *(f"{count} x {words}" for words, count in sorted(said.items()))]


def _said(line: Mapping[str, Any]) -> str:
    if line["kind"] == "twice":
        return f"FAILED came twice: {line['what']}"
    mark = "FAILED" if fails(line) else "noticed"
    return f"{mark} {line['source']}: {line['what']}: {line['error']} at {line['place']}"


def register(config: pytest.Config) -> None:
    """Once per run: what it starts, workers of xdist among it, inherits the variable."""
    if REPORT_VARIABLE not in os.environ:
        config.pluginmanager.register(LabReport(), "labs")
