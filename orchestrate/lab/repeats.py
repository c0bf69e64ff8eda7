"""Calls that an SDK sends again: the answer they had is given once more, and they are told apart.

An SDK tries again when it got no answer, or one that says to. The first must not happen in a lab
unless a fault asks for it; the second is right. Either way work that is done is not done twice:
AWS promises that for some calls only (client tokens), the lab keeps it for all that write.
"""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from orchestrate.lab.call import Call

KEEP_S = 600.0  # longer than any SDK goes on trying
KEEP = 2000  # calls
LARGEST = 1 << 18  # bytes of an answer that is kept


@dataclass(frozen=True)
class Answer:
    """An answer as WSGI has it: `status` such as `200 OK`."""

    status: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def done(self) -> bool:
        """Whether what was asked for is done; anything else an SDK may try again."""
        return self.status.startswith("2")


@dataclass
class _Known:
    what: str
    at: float
    expected: bool = False  # whether it may come again
    answer: Answer | None = None


class Repeats:
    """What is remembered of the last calls, by caller and the SDK's id of each. Safe in threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()

    def arrived(self, call: Call, what: str) -> bool:
        """Note a call, `what` being its `fingerprint`; whether it came again though no fault struck
        it and no answer of ours said to try again."""
        with self._lock:
            self._forget()
            known = self._known.get(_id(call))
            again = call.attempt > 1 or known is not None
            unasked = again and not (known and known.expected)
            if call.invocation and known is None:
                self._known[_id(call)] = _Known(what, self._now())
            return unasked

    def expect(self, call: Call) -> None:
        """The call may come again: a fault struck it."""
        with self._lock:
            if known := self._known.get(_id(call)):
                known.expected = True

    def keep(self, call: Call, answer: Answer) -> None:
        """Remember the answer of a call; one that says to try again is none to repeat."""
        with self._lock:
            known = self._known.get(_id(call))
            if known is None:
                return
            if not answer.done:
                known.expected = True
            elif not call.reads and len(answer.body) <= LARGEST:
                known.answer = answer

    def answer(self, call: Call, what: str) -> Answer | None:
        """The answer that this very call had, if it was done."""
        with self._lock:
            known = self._known.get(_id(call))
            return known.answer if known and known.what == what else None

    def _forget(self) -> None:
        oldest = self._now() - KEEP_S
        while self._known:
            first = next(iter(self._known.values()))
            if len(self._known) < KEEP and first.at >= oldest:
                return
            self._known.popitem(last=False)


def _id(call: Call) -> tuple[str, str]:
    """Nobody meets another's call, whatever id it gives its own."""
    return call.key, call.invocation


def fingerprint(call: Call, method: str, path: str, query: str, body: bytes) -> str:
    """What a call asks for, as short as an id: whose it is, and every byte of it. Pure."""
    asked = (call.key, call.account, call.region, call.service, call.action, method, path, query)
    digest = hashlib.sha256("\0".join(asked).encode("latin-1", "replace"))
    digest.update(b"\0" + body)
    return digest.hexdigest()
