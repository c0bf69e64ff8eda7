"""pytest's reports of one test, as what we say of it. Pure."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import cast

import pytest

from orchestrate.verify.verdicts import Case, Outcome

COMMANDS = "commands on the host"
# pytest writes `E` before each line of an assertion's message, in the text it makes of a failure.
ERROR_MARK = "E   "


def tested(suite: str, name: str, reports: Sequence[pytest.TestReport]) -> Case:
    """One test from the reports of its setup, call and teardown."""
    failed = next((report for report in reports if report.failed), None)
    skipped = next((report for report in reports if report.skipped), None)
    seconds = sum(report.duration for report in reports)
    if failed:
        return _failed(suite, name, seconds, failed)
    if skipped:
        _, _, why = cast("tuple[str, int, str]", skipped.longrepr)
        return Case(suite, name, Outcome.SKIPPED, seconds, message=why.removeprefix("Skipped: "))
    return Case(suite, name, Outcome.PASSED, seconds)


def _failed(suite: str, name: str, seconds: float, report: pytest.TestReport) -> Case:
    file, line, _ = report.location
    text = report.longreprtext
    return Case(
        suite,
        name,
        Outcome.FAILED,
        seconds,
        where=f"{PurePath(file).as_posix()}:{_line(text, file) or (line or 0) + 1}",
        message=message(text),
        commands="\n".join(said for title, said in report.sections if title == COMMANDS),
        details=text,
    )


def message(text: str) -> str:
    """The assertion's own words from the text of a failure; its last line if there are none."""
    marked = [line[len(ERROR_MARK) :] for line in text.splitlines() if line.startswith(ERROR_MARK)]
    lines = [line.rstrip() for line in marked] or text.strip().splitlines()[-1:]
    return "\n".join(lines).strip()


def _line(text: str, file: str) -> int:
    """The line of the test's own file that failed last: `tests/infra/base/test_x.py:12: Error`."""
    found = 0
    for line in text.splitlines():
        place, _, rest = line.rpartition(": ")
        path, _, number = place.rpartition(":")
        if rest and path and number.isdigit() and PurePath(path).name == PurePath(file).name:
            found = int(number)
    return found
