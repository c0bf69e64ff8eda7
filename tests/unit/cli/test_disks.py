"""Files that cannot be read, disks that are full or read-only, streams that lead nowhere: one line
each, with the next step, and exit code 1.

Run as processes: what a stream does is the kernel's business. Root may read everything, so these
processes do without the capabilities that say so.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrate.caches import work_folder
from orchestrate.errors import OrchestrateError
from orchestrate.runs import history, journal, saved_plan
from orchestrate.runs.saved_plan import SavedPlan

ROOT = Path(__file__).resolve().parents[3]
PYTHON = [sys.executable, "-P", "-m", "orchestrate"]
LIKE_ANYBODY = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
LEDGER = Path("fleet") / "addresses.lock.yaml"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "fleet", tmp_path / "checkout" / "fleet")
    return tmp_path / "checkout"


def run(
    checkout: Path, *words: str, stdout: int = subprocess.PIPE, before: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    may = LIKE_ANYBODY if os.geteuid() == 0 else []
    return subprocess.run(
        [*before, *may, *PYTHON, *words],
        cwd=checkout,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "ORCHESTRATE_CACHE": str(checkout.parent / "cache"),
        },
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()


@pytest.mark.parametrize("words", [("check",), ("graph",), ("addresses", "--json")])
def test_output_that_nobody_can_take_is_an_error(checkout: Path, words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(checkout, *words, stdout=full.fileno())
    assert done.returncode == 1
    assert lines(done)[0] == "orchestrate: cannot read or write: no space left on device"
    assert "next: make room" in done.stderr


@pytest.mark.parametrize("words", [("check",), ("graph",), ("--help",)])
def test_a_reader_that_has_seen_enough_ends_the_command_in_silence(
    checkout: Path, words: tuple[str, ...]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(checkout, *words, stdout=writing)
    os.close(writing)
    assert (done.returncode, lines(done)) == (141, [])


@pytest.mark.parametrize("words", [("check",), ("graph",)])
def test_with_its_output_closed_a_command_does_its_work(
    checkout: Path, words: tuple[str, ...]
) -> None:
    closing = ("sh", "-c", 'exec "$@" >&- <&-', "sh")
    done = run(checkout, *words, before=closing)
    assert (done.returncode, lines(done)) == (0, [])


def test_a_terminal_that_lacks_letters_is_shown_others(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = run(checkout, "graph")
    assert (done.returncode, lines(done)) == (0, [])


def no_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe ranges")


def a_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def nobodys(path: Path) -> None:
    path.chmod(0)


BROKEN = pytest.mark.parametrize("broken", [no_text, a_folder, nobodys])


@BROKEN
@pytest.mark.parametrize("file", [LEDGER, Path("fleet/fleet.yaml")])
def test_a_record_that_cannot_be_read_is_a_finding(
    checkout: Path, broken: Callable[[Path], None], file: Path
) -> None:
    broken(checkout / file)
    done = run(checkout, "--root", str(checkout), "check")
    assert done.returncode == 1
    assert lines(done) == []
    assert str(file) in done.stdout


@BROKEN
def test_commands_say_of_such_a_ledger_where_it_is(
    checkout: Path, broken: Callable[[Path], None]
) -> None:
    broken(checkout / LEDGER)
    done = run(checkout, "addresses")
    assert done.returncode == 1
    assert str(LEDGER) in lines(done)[0]


@BROKEN
def test_a_journal_that_cannot_be_read_hides_no_other(
    checkout: Path, broken: Callable[[Path], None]
) -> None:
    for command in ("apply", "plan"):
        past = journal.begin(
            checkout / ".orchestrate" / "runs", command=command, argv=[], target="lab", stacks=[]
        )
        past.end(0)
    newest = sorted((checkout / ".orchestrate" / "runs").iterdir())[-1]
    broken(newest / journal.FILE)
    done = run(checkout, "runs", "--json")
    assert (done.returncode, lines(done)) == (0, [])
    assert done.stdout.count('"command"') == 1
    assert len(history.past_runs(checkout / ".orchestrate" / "runs")) >= 1


@pytest.mark.parametrize("broken", [no_text, a_folder])
def test_a_saved_plan_that_cannot_be_read_is_none(
    tmp_path: Path, broken: Callable[[Path], None]
) -> None:
    saved_plan.save(tmp_path / "plan", SavedPlan("apply", "lab", "1", "run", {}), {})
    broken(tmp_path / "plan" / saved_plan.MANIFEST)
    with pytest.raises(OrchestrateError, match="not a saved plan"):
        saved_plan.load(tmp_path / "plan")


def test_a_read_only_checkout_is_worked_on_from_elsewhere(checkout: Path) -> None:
    for path in (checkout, *checkout.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        done = run(checkout, "render")
        assert (done.returncode, lines(done)) == (0, [])
        assert not (checkout / ".orchestrate").exists()
        assert list((checkout.parent / "cache" / "work").glob("checkout-*/build/lab/mesh/main.tf"))
        assert run(checkout, "check").returncode == 0
    finally:
        for path in (checkout, *checkout.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)


def test_a_checkout_that_can_be_written_to_keeps_its_own_work(tmp_path: Path) -> None:
    assert work_folder(tmp_path) == tmp_path / ".orchestrate"


def test_a_full_disk_is_named_with_the_file(checkout: Path) -> None:
    work = checkout / ".orchestrate"
    work.mkdir()
    mounting = ("unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh")
    script = 'mount -t tmpfs -o size=64k none "$1" && shift && exec "$@"'
    done = run(checkout, "render", before=(*mounting, "-c", script, "sh", str(work)))
    assert done.returncode == 1
    assert "no space left on device" in lines(done)[0]
    assert "next: make room" in done.stderr
