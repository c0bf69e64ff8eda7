"""The faults of this lab, and how often each has struck. One `book` per daemon, safe in threads."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from orchestrate.errors import LabError
from orchestrate.lab.call import Call
from orchestrate.lab.faults import decide
from orchestrate.lab.faults.decide import Tally
from orchestrate.lab.faults.models import ApiFault, Fault, HostFault, Launch, LaunchFault

Sought = TypeVar("Sought", bound=Fault)


class FaultBook:
    """Faults in the order they were added. `changed` is set when one comes, goes or runs out."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.changed = threading.Event()
        self._now = now
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._tallies: dict[str, Tally] = {}
        self._added = 0

    def add(self, fault: Fault) -> Fault:
        """Enter a fault; it gets a name that was never used before."""
        with self._lock:
            self._added += 1
            named = replace(fault, name=f"fault-{self._added}")
            self._faults.append(named)
            self._tallies[named.name] = Tally()
        self.changed.set()
        return named

    def clear(self, names: list[str]) -> list[Fault]:
        """Take out these faults, or all. Raises LabError, and takes out none, for unknown names."""
        with self._lock:
            self._forget_ended()
            present = [fault.name for fault in self._faults]
            if unknown := sorted(set(names) - set(present)):
                raise LabError(
                    f"no such fault: {', '.join(unknown)}",
                    fix=f"there are: {', '.join(present) or 'none'}",
                )
            gone = [fault for fault in self._faults if not names or fault.name in names]
            self._faults = [fault for fault in self._faults if fault not in gone]
        self.changed.set()
        return gone

    def listing(self) -> list[dict[str, Any]]:
        """Every fault in force as data, with `scope`, `struck`, `seen` and `left_s` (or None)."""
        with self._lock:
            self._forget_ended()
            return [self._row(fault) for fault in self._faults]

    def strike_call(self, call: Call) -> ApiFault | None:
        """The fault that strikes a call now, and counted."""
        return self._strike(ApiFault, call)

    def strike_launch(self, launch: Launch) -> LaunchFault | None:
        """The fault that strikes a launch now, and counted."""
        return self._strike(LaunchFault, launch)

    def on_hosts(self) -> list[HostFault]:
        """The faults of hosts in force now."""
        with self._lock:
            self._forget_ended()
            return [fault for fault in self._faults if isinstance(fault, HostFault)]

    def done(self, fault: Fault) -> None:
        """Count one strike of a fault that is not about requests."""
        with self._lock:
            self._count(fault, struck=True)

    def _strike(self, kind: type[Sought], request: Call | Launch) -> Sought | None:
        with self._lock:
            if not self._faults:
                return None
            faults = [fault for fault in self._faults if isinstance(fault, kind)]
            now = self._now()
            struck = decide.decide(faults, request, now, self._tallies)
            for fault in decide.about(faults, request, now, self._tallies):
                self._count(fault, struck=fault is struck)
            return struck

    def _count(self, fault: Fault, struck: bool) -> None:
        before = self._tallies.get(fault.name, Tally())
        self._tallies[fault.name] = Tally(before.seen + 1, before.struck + struck)

    def _forget_ended(self) -> None:
        now = self._now()
        left = [f for f in self._faults if decide.in_force(f, now, self._tallies[f.name])]
        if len(left) < len(self._faults):
            self._faults = left
            self.changed.set()

    def _row(self, fault: Fault) -> dict[str, Any]:
        tally = self._tallies[fault.name]
        left = None if fault.until is None else round(fault.until - self._now(), 1)
        told = {"scope": fault.scope, "seen": tally.seen, "struck": tally.struck, "left_s": left}
        return {**fault.document(), **told}


book = FaultBook()
