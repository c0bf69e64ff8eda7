"""The one door to other programs: run one to its end, or start one and follow what it prints.

Every subprocess of the package goes through here; what a program's output means is decided by
its caller. Children live in sessions of their own, so a terminal's Ctrl-C reaches only us and
each child gets exactly one SIGINT: from `Stop`.
"""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrate import signals
from orchestrate.errors import CommandFailed, Interrupted, MissingTool

TAIL_LINES = 12
# How often a quiet child's output file is looked at; its end is noticed at once.
LOOK_EVERY_S = 0.05


@dataclass(frozen=True)
class Finished:
    """A program that has ended: its exit code (negative: the signal that ended it) and its text."""

    argv: tuple[str, ...]
    code: int
    stdout: str
    stderr: str


def run(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout_s: float | None = None,
    check: bool = True,
    get_it: str = "",
) -> Finished:
    """Run a program to its end and capture its text. `env` replaces the environment if given.

    Raises CommandFailed when it exits other than 0 (unless `check` is off) or takes longer than
    `timeout_s`, and MissingTool, with `get_it` as the next step, when it isn't installed.
    """
    process = _open(argv, cwd, env, get_it, stdin=subprocess.PIPE, output=subprocess.PIPE)
    try:
        stdout, stderr = process.communicate(stdin, timeout_s)
    except subprocess.TimeoutExpired:
        stdout, stderr = _kill(process)
        problem = f"did not end within {timeout_s:g} s"
        raise CommandFailed(argv, problem, tail(stderr or stdout)) from None
    except BaseException:
        _kill(process)
        raise
    if check and process.returncode:
        raise CommandFailed(argv, ended(process.returncode), tail(stderr or stdout))
    return Finished(tuple(argv), process.returncode, stdout, stderr)


class Stop:
    """A request to end early, shared by all that one run has started. Safe between threads.

    The first `request` sends every running child one SIGINT; later ones do nothing, because a
    second SIGINT makes Terraform quit without writing its state or releasing its lock.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: set[Running] = set()
        self._told: list[Callable[[], None]] = []
        self._told_again: list[Callable[[], None]] = []
        self._requested = False

    @property
    def requested(self) -> bool:
        return self._requested

    def request(self) -> None:
        with self._lock:
            again, self._requested = self._requested, True
            for child in tuple(self._children):
                child.interrupt()
        for tell in self._told_again if again else self._told:
            tell()

    def on_request(self, tell: Callable[[], None]) -> None:
        """Call `tell` when the request comes, on whichever thread hears of it."""
        self._told.append(tell)

    def on_repeat(self, tell: Callable[[], None]) -> None:
        """Call `tell` at every request after the first, for who may stop waiting."""
        self._told_again.append(tell)

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Within this block Ctrl-C, SIGTERM and a closed terminal become a request to stop.

        Only for the main thread, the one that may say what becomes of signals.
        """
        with signals.heard((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), self.request):
            yield

    def _join(self, child: "Running") -> None:
        with self._lock:
            self._children.add(child)
            if self._requested:
                child.interrupt()

    def _leave(self, child: "Running") -> None:
        with self._lock:
            self._children.discard(child)


class Running:
    """A started program whose output goes to a file, followed by `lines`.

    A file, not a pipe: if we are killed, the program neither dies of a broken pipe in the middle
    of its work nor loses what it had to say.
    """

    def __init__(
        self, process: subprocess.Popen[str], output: Path, stop: Stop, *, family: bool
    ) -> None:
        self._process = process
        self._output = output
        self._stop = stop
        self._family = family
        self._interrupted = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit code as `wait` has it, or None while it runs."""
        return self._process.poll()

    def lines(self) -> Iterator[str]:
        """Every line it prints, without line ends, until it has ended and all is read."""
        with self._output.open("rb") as output:
            rest = b""
            done = False
            while not done:
                done = self._ends_within(LOOK_EVERY_S)
                *whole, rest = (rest + output.read()).split(b"\n")
                yield from (line.decode(errors="replace") for line in whole)
            if rest:
                yield rest.decode(errors="replace")

    def interrupt(self) -> None:
        """Send one SIGINT, the polite request to end; further calls send nothing."""
        if not self._interrupted:
            self._interrupted = True
            if self._family and self._process.poll() is None:
                os.killpg(self.pid, signal.SIGINT)
            else:
                self._process.send_signal(signal.SIGINT)

    def wait(self) -> int:
        """Its exit code, once it has ended; negative is the signal that ended it."""
        try:
            return self._process.wait()
        finally:
            self._stop._leave(self)

    def _ends_within(self, seconds: float) -> bool:
        if self._process.poll() is None:
            _sleep_unless_ended(self.pid, seconds)
        return self._process.poll() is not None


def start(
    argv: Sequence[str],
    output: Path,
    *,
    stop: Stop,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    get_it: str = "",
    family: bool = False,
) -> Running:
    """Start a program whose stdout and stderr go to the new file `output`, readable only by us.

    An interrupt goes to the program alone, or as from a terminal to its `family`, all processes of
    its group: Packer's first process leaves it to the terminal to tell the one that works.
    Raises Interrupted when `stop` was requested before, MissingTool as `run` does.
    """
    if stop.requested:
        raise Interrupted(f"{argv[0]} was not started")
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    try:
        process = _open(argv, cwd, env, get_it, stdin=subprocess.DEVNULL, output=descriptor)
    finally:
        os.close(descriptor)
    running = Running(process, output, stop, family=family)
    stop._join(running)
    return running


def talk(argv: Sequence[str], *, get_it: str = "") -> "subprocess.Popen[bytes]":
    """Start a program to talk with through its three pipes; who called must also end it.

    Raises MissingTool as `run` does.
    """
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
    except FileNotFoundError as missing:
        raise MissingTool(f"{argv[0]} is not installed", fix=get_it) from missing


def tail(text: str) -> str:
    """The last lines of a program's text, which is where it says what went wrong."""
    return "\n".join(text.strip().splitlines()[-TAIL_LINES:])


def ended(code: int) -> str:
    """How a program ended, in words, from its exit code as `Finished` has it."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"failed with exit code {code}"


def _open(
    argv: Sequence[str],
    cwd: Path | None,
    env: Mapping[str, str] | None,
    get_it: str,
    *,
    stdin: int,
    output: int,
) -> "subprocess.Popen[str]":
    try:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=output,
            stderr=output,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except FileNotFoundError as missing:
        if cwd is not None and not cwd.is_dir():
            raise CommandFailed(argv, f"cannot run in {cwd}: no such folder", "") from missing
        raise MissingTool(f"{argv[0]} is not installed", fix=get_it) from missing


def _kill(process: "subprocess.Popen[str]") -> tuple[str, str]:
    process.kill()
    return process.communicate()


def _sleep_unless_ended(pid: int, seconds: float) -> None:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):  # not Linux, or an old kernel
        time.sleep(seconds)
        return
    try:
        end = select.poll()
        end.register(handle, select.POLLIN)
        end.poll(seconds * 1000)
    finally:
        os.close(handle)
