"""What must not happen in a lab, counted: calls that came twice, exceptions of its own.

A call that came twice means that an answer was lost on the way (see `http_server`). An exception is
a bug of the lab. Both are in the log, in `orchestrate lab status`, and, where the variable names a
file, in there: a line of JSON each, and one of totals when a lab goes down, for who runs many labs.
"""

import json
import logging
import os
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from orchestrate.errors import OrchestrateError
from orchestrate.lab.call import Call

REPORT_VARIABLE = "ORCHESTRATE_LAB_REPORT"
NAMED = 20  # kinds of incident that are named; all are counted

log = logging.getLogger("lab.api")


@dataclass(frozen=True, order=True)
class Incident:
    """`kind` is "twice" or "exception"; `what` the operation, `place` where in the code it broke.

    `source` is the logger that told of it: "lab.api" for what a call met.
    """

    kind: str
    what: str
    error: str = ""
    place: str = ""
    source: str = "lab.api"


class Incidents(logging.Handler):
    """Counts calls and incidents; as a log handler it hears of every exception that is logged."""

    def __init__(self, report: Path | None = None) -> None:
        super().__init__(logging.ERROR)
        self._report = report
        self._lock = threading.Lock()
        self._calls = 0
        self._found: Counter[Incident] = Counter()

    def called(self) -> None:
        """A call was answered."""
        with self._lock:
            self._calls += 1

    def twice(self, call: Call) -> None:
        """A call came twice that was neither struck by a fault nor refused."""
        log.warning("came twice: %s %s, id %s", call.service, call.action, call.invocation)
        self._note(Incident("twice", f"{call.service} {call.action}"))

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        # What a user can act on is told to the user, and no bug.
        if error is not None and not isinstance(error, OrchestrateError):
            said = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": ")
            what = record.getMessage()
            self._note(Incident("exception", what, said, place(error), record.name))

    def told(self) -> dict[str, Any]:
        """As `lab status --json` has it."""
        with self._lock:
            found, calls = self._found.copy(), self._calls
        rows = [{**asdict(one), "count": count} for one, count in sorted(found.items())]
        twice = sum(row["count"] for row in rows if row["kind"] == "twice")
        return {
            "calls": calls,
            "came_twice": twice,
            "exceptions": found.total() - twice,
            "incidents": rows,
        }

    def close(self) -> None:
        """Write the totals."""
        told = self.told()
        self._write({"kind": "totals", "calls": told["calls"]})
        super().close()

    def _note(self, incident: Incident) -> None:
        with self._lock:
            if incident in self._found or len(self._found) < NAMED:
                self._found[incident] += 1
            else:
                self._found[Incident(incident.kind, "others")] += 1
        self._write(asdict(incident))

    def _write(self, line: dict[str, Any]) -> None:
        if self._report is None:
            return
        # One write of a file opened for appending: lines of many labs do not mix.
        with self._report.open("ab", buffering=0) as file:
            file.write(json.dumps(line).encode() + b"\n")


def place(error: BaseException) -> str:
    """Where in the code an exception was raised: `folder/file.py:12 in function`."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    last = frames[-1]
    return f"{'/'.join(Path(last.filename).parts[-3:])}:{last.lineno} in {last.name}"


@contextmanager
def counted(name: str = "lab") -> Iterator[Incidents]:
    """Count what happens in this process's lab, whose loggers are below `name`, while inside."""
    named = os.environ.get(REPORT_VARIABLE)
    incidents = Incidents(Path(named) if named else None)
    logger = logging.getLogger(name)
    logger.addHandler(incidents)
    try:
        yield incidents
    finally:
        logger.removeHandler(incidents)
        incidents.close()
