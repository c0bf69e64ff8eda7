"""A signal is heard while the main thread waits, whatever it waits for and whoever gets it."""

import os
import signal
import threading
from queue import SimpleQueue

import pytest

from orchestrate import signals


def to_another_thread(number: signal.Signals) -> None:
    """Let a thread that isn't the main one take the signal: the main one isn't woken by it."""
    other = threading.Thread(target=lambda: signal.pthread_kill(threading.get_ident(), number))
    other.start()
    other.join()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_heard_while_the_main_thread_only_waits(number: signal.Signals) -> None:
    news: SimpleQueue[str] = SimpleQueue()
    with signals.heard({number}, lambda: news.put("heard")):
        threading.Timer(0.1, to_another_thread, [number]).start()
        assert news.get(timeout=60) == "heard"


def test_each_signal_is_heard_and_none_that_was_not_asked_for() -> None:
    heard: SimpleQueue[str] = SimpleQueue()
    outer = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with signals.heard({signal.SIGTERM}, lambda: heard.put("heard")):
            for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGTERM):
                os.kill(os.getpid(), number)
    finally:
        signal.signal(signal.SIGUSR1, outer)
    assert [heard.get_nowait(), heard.get_nowait()] == ["heard"] * 2
    assert heard.empty()


def test_the_innermost_hears_and_the_outer_hears_again_afterwards() -> None:
    heard: list[str] = []
    with signals.heard({signal.SIGINT}, lambda: heard.append("outer")):
        with signals.heard({signal.SIGINT}, lambda: heard.append("inner")):
            os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    assert heard == ["inner", "outer"]


def test_a_terminal_that_is_gone_keeps_nobody_from_hearing_the_next_signal() -> None:
    heard: list[str] = []

    def told() -> None:
        heard.append("heard")
        raise BrokenPipeError

    with signals.heard({signal.SIGINT}, told):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    assert heard == ["heard"] * 2


def test_signals_are_what_they_were_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), signals.heard({signal.SIGINT}, lambda: None):
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) == before
    assert signal.set_wakeup_fd(-1) == -1
