"""Signals, heard at once whatever the main thread waits for.

Python runs its own handlers on the main thread, between two of its steps. A signal that comes just
before that thread begins to wait for a lock is heard when the wait ends, and Ctrl-C is lost to a
run that had minutes to go. Python's low-level handler writes the number to a file descriptor at
once (https://docs.python.org/3/library/signal.html#signal.set_wakeup_fd): a thread reads it there.
"""

import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

_END = b"\0"


@contextmanager
def heard(numbers: Iterable[signal.Signals], call: Callable[[], None]) -> Iterator[None]:
    """Within this block `call` is called, on a thread of its own, for each of these signals.

    Only for the main thread, the one that may say what becomes of signals.
    """
    wanted = frozenset(numbers)
    ours, handlers_end = socket.socketpair()
    handlers_end.setblocking(False)  # a handler must never wait

    def listen() -> None:
        while (number := ours.recv(1)) != _END:
            if number[0] in wanted:
                with suppress(OSError):  # a terminal that is gone cannot be told
                    call()

    with ours, handlers_end:
        listener = threading.Thread(target=listen, name="signals", daemon=True)
        listener.start()
        outer = signal.set_wakeup_fd(handlers_end.fileno())
        before = {number: signal.signal(number, _written) for number in wanted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(outer)
            handlers_end.send(_END)
            listener.join()


def _written(_number: int, _frame: object) -> None:
    """The number is on its way to the listener; without a handler there would be none."""
