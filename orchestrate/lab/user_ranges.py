"""Which of the machine's users a host's own are: 65,536 of them for each, nobody else's.

From 2^19 up, as systemd-nspawn takes them for containers (see "Users, Groups, UIDs and GIDs on
systemd Systems"). What the kernel counts by user, such as keys, no host takes from another.
"""

import threading

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
        """The first user of a host's range, the same each time until it is given back."""
        with self._lock:
            free = (one for one in range(MOST) if one not in self._taken.values())
            number = self._taken.setdefault(host, self._taken.get(host, next(free, 0)))
            return self._first + number * IDS

    def give_back(self, host: str) -> None:
        with self._lock:
            self._taken.pop(host, None)
