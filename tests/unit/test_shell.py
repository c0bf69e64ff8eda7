import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.errors import CommandFailed, Interrupted, MissingTool
from orchestrate.shell import Stop


def sh(script: str) -> list[str]:
    return ["sh", "-c", script]


def until(condition: object) -> None:
    """Wait for something another process does; the test's own end is the only deadline."""
    while not condition():  # type: ignore[operator]
        time.sleep(0.005)


def test_a_program_runs_to_its_end_and_its_text_is_kept() -> None:
    done = shell.run(sh("cat; echo oops >&2"), stdin="hello", env={"PATH": os.environ["PATH"]})
    assert (done.code, done.stdout, done.stderr) == (0, "hello", "oops\n")


def test_a_failure_names_the_command_its_exit_code_and_its_last_lines() -> None:
    with pytest.raises(CommandFailed) as raised:
        shell.run(sh("seq 30 >&2; exit 3"))
    assert "sh -c 'seq 30 >&2; exit 3'" in str(raised.value)
    assert "failed with exit code 3" in str(raised.value)
    assert raised.value.last_lines.splitlines() == [str(n) for n in range(19, 31)]


def test_a_failure_may_be_what_the_caller_wants_to_see() -> None:
    assert shell.run(sh("exit 3"), check=False).code == 3


def test_a_program_ended_by_a_signal_says_which() -> None:
    with pytest.raises(CommandFailed, match="was ended by SIGTERM"):
        shell.run(sh("kill -TERM $$"))


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(CommandFailed, match=r"did not end within 0\.2 s"):
        shell.run(sh(f"echo $$ > {pid}; exec sleep 60"), timeout_s=0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_missing_program_says_how_to_get_it() -> None:
    with pytest.raises(MissingTool, match="no-such-program is not installed") as raised:
        shell.run(["no-such-program"], get_it="apt-get install it")
    assert raised.value.fix == "apt-get install it"


def test_a_missing_folder_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="no such folder"):
        shell.run(sh("true"), cwd=tmp_path / "nowhere")


def test_lines_come_while_the_program_runs_and_none_is_lost(tmp_path: Path) -> None:
    go = tmp_path / "go"
    script = f"echo first; until test -e {go}; do sleep 0.01; done; printf 'grüße\\nno end'"
    running = shell.start(sh(script), tmp_path / "out", stop=Stop())
    lines = running.lines()
    assert next(lines) == "first"
    go.touch()
    assert list(lines) == ["grüße", "no end"]
    assert running.wait() == 0


def test_ten_thousand_lines_arrive_in_order(tmp_path: Path) -> None:
    running = shell.start(sh("seq 10000; seq 10001 10003 >&2"), tmp_path / "out", stop=Stop())
    assert list(running.lines()) == [str(number) for number in range(1, 10004)]
    assert running.wait() == 0


def test_only_we_may_read_what_a_program_says(tmp_path: Path) -> None:
    running = shell.start(sh("true"), tmp_path / "out", stop=Stop())
    running.wait()
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0


def test_a_child_has_a_session_of_its_own(tmp_path: Path) -> None:
    code = "import os; print(os.getsid(0))"
    running = shell.start([sys.executable, "-c", code], tmp_path / "out", stop=Stop())
    assert list(running.lines()) == [str(running.pid)]
    running.wait()


COUNT = """
import signal, sys, time
seen = 0
def count(*_):
    global seen
    seen += 1
signal.signal(signal.SIGINT, count)
print("ready", flush=True)
while not seen:
    time.sleep(0.01)
time.sleep(0.2)
print(seen, flush=True)
"""


def test_a_stop_sends_each_child_exactly_one_sigint_however_often_it_is_asked(
    tmp_path: Path,
) -> None:
    stop = Stop()
    children = [
        shell.start([sys.executable, "-c", COUNT], tmp_path / str(number), stop=stop)
        for number in range(3)
    ]
    following = [child.lines() for child in children]
    assert [next(lines) for lines in following] == ["ready"] * 3
    for _ in range(3):
        stop.request()
    assert [list(lines) for lines in following] == [["1"]] * 3
    assert [child.wait() for child in children] == [0, 0, 0]


def test_nothing_is_started_after_a_stop(tmp_path: Path) -> None:
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted):
        shell.start(sh("true"), tmp_path / "out", stop=stop)
    assert not (tmp_path / "out").exists()


def test_a_stop_tells_those_who_want_to_know_once() -> None:
    told: list[str] = []
    stop = Stop()
    stop.on_request(lambda: told.append("stop"))
    stop.request()
    stop.request()
    assert told == ["stop"]


def test_a_stop_leaves_alone_what_has_already_ended(tmp_path: Path) -> None:
    stop = Stop()
    running = shell.start(sh("true"), tmp_path / "out", stop=stop)
    running.wait()
    stop.request()
    assert running.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_within_its_block_a_signal_becomes_a_request(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    stop = Stop()
    with stop.on_signals():
        os.kill(os.getpid(), number)
        until(lambda: stop.requested)
    assert signal.getsignal(number) == before


def test_children_may_be_started_and_stopped_from_many_threads(tmp_path: Path) -> None:
    stop = Stop()
    codes: list[int] = []

    def work(number: int) -> None:
        try:
            running = shell.start(sh("exec sleep 60"), tmp_path / str(number), stop=stop)
        except Interrupted:
            codes.append(-signal.SIGINT)
            return
        codes.append(running.wait())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    stop.request()
    for thread in threads:
        thread.join()
    assert codes == [-signal.SIGINT] * 20
