"""Which of the machine's users a host's own are: 65,536 of them for each, nobody else's.

From 2^19 up, as systemd-nspawn takes them for containers (see "Users, Groups, UIDs and GIDs on
systemd Systems"). What the kernel counts by user, such as keys, no host takes from another.
"""

import threading

from orchestrate.errors import LabError
from orchestrate.lab.topology import Slot

FIRST = 2**19
IDS = 2**16
MOST = 256  # hosts of a slot


class UserRanges:
    """The ranges of one slot's hosts. Safe between threads."""

    def __init__(self, slot: Slot) -> None:
        self._first = FIRST + slot.number * MOST * IDS
        self._taken: dict[str, int] = {}
        self._lock = threading.Lock()

    def take(self, host: str) -> int:
        """The first user of a host's range, the same each time until it is given back.

        Raises LabError when all are taken: two hosts never share one.
        """
        with self._lock:
            if host not in self._taken:
                self._taken[host] = self._free()
            return self._first + self._taken[host] * IDS

    def give_back(self, host: str) -> None:
        with self._lock:
            self._taken.pop(host, None)

    def _free(self) -> int:
        free = set(range(MOST)) - {*self._taken.values()}
        if not free:
            fix = f"`orchestrate lab up --max-hosts {MOST}` is the most"
            raise LabError(f"{MOST} hosts have all the users that a lab has for them", fix=fix)
        return min(free)
