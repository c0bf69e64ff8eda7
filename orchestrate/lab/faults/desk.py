"""Where the command line adds, lists and clears faults: a private path of the daemon's API."""

import json
import time
from collections.abc import Callable
from typing import Any

from orchestrate.errors import LabError
from orchestrate.lab.faults.book import FaultBook, book
from orchestrate.lab.faults.models import Fault, HostFault, HostKind, fault_of

FAULTS_PATH = "/_lab/faults"
FindHost = Callable[[str, HostKind], str]


def no_hosts(_: str, _kind: HostKind) -> str:
    """The `FindHost` of a lab without any. Raises LabError."""
    raise LabError("the lab has no real hosts", fix="orchestrate lab status")


class Desk:
    """Answers requests about the faults of a book.

    `find_host` gives a host's instance id by its name or id; it raises LabError when there is
    none that the kind of fault can befall. Set it where there are hosts.
    """

    def __init__(self, book: FaultBook) -> None:
        self._book = book
        self.find_host: FindHost = no_hosts

    def answer(self, method: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """HTTP status and document: GET lists, POST adds the fault it holds, DELETE the named."""
        try:
            if method == "POST":
                return 200, self._book.add(self._ordered(json.loads(body))).document()
            if method == "DELETE":
                gone = self._book.clear(json.loads(body)["names"])
                return 200, {"cleared": [fault.name for fault in gone]}
            return 200, {"faults": self._book.listing()}
        except (LabError, ValueError, TypeError, KeyError) as error:
            what = error.what if isinstance(error, LabError) else f"not understood: {error}"
            fix = error.fix if isinstance(error, LabError) else ""
            return 400, {"error": what, "fix": fix}

    def _ordered(self, order: dict[str, Any]) -> Fault:
        """A fault as ordered: `for_s` seconds from now, and a host by any of its names."""
        seconds = order.pop("for_s", None)
        if seconds is not None:
            order["until"] = time.time() + seconds
        fault = fault_of(order)
        if isinstance(fault, HostFault):
            found = self.find_host(fault.instance_id, fault.kind)
            return fault_of({**order, "instance_id": found})
        return fault


desk = Desk(book)
