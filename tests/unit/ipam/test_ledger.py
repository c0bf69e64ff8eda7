"""The ledger file: written whole, only when needed, by one writer at a time."""

import multiprocessing
import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest

from orchestrate import record_file
from orchestrate.errors import InvalidInput, OrchestrateError
from orchestrate.ipam import ledger
from orchestrate.ipam.records import Ledger

from .fleets import fleet_of

TODAY = date(2026, 11, 29)
WRITERS = 50


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "fleet").mkdir()
    return tmp_path / "fleet" / ledger.NAME


def test_without_a_file_nobody_has_anything(path: Path) -> None:
    assert ledger.read(path) == Ledger()


def test_what_is_written_is_read_back(path: Path) -> None:
    after = ledger.write(path, fleet_of("a", sites=("s",)), TODAY).after
    assert ledger.read(path) == after
    assert str(after.allocations["a/vpc"]) == "10.1.0.0/16"


def test_a_preview_writes_nothing(path: Path) -> None:
    difference = ledger.preview(path, fleet_of("a"), TODAY)
    assert "a/vpc" in difference.added
    assert not path.exists()


def test_a_write_says_what_was_added_and_released(path: Path) -> None:
    ledger.write(path, fleet_of("a", "b"), TODAY)
    difference = ledger.write(path, fleet_of("b", "c"), TODAY)
    assert {key.split("/")[0] for key in difference.added} == {"c"}
    assert {key.split("/")[0] for key in difference.released} == {"a"}


def test_a_write_says_what_has_rested(path: Path) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    ledger.write(path, fleet_of(), TODAY)
    difference = ledger.write(path, fleet_of(), TODAY + timedelta(days=30))
    assert str(difference.rested["a/vpc"]) == "10.1.0.0/16"
    assert ledger.read(path) == Ledger()


def test_an_unchanged_ledger_is_not_touched(path: Path) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    before = path.stat()
    ledger.write(path, fleet_of("a"), TODAY)
    assert path.stat().st_ino == before.st_ino


def test_a_refused_fleet_leaves_the_ledger_as_it_was(path: Path) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="no room for b/vpc"):
        ledger.write(path, fleet_of("a", "b", pools={"cloud": {"range": "10.1.0.0/16"}}), TODAY)
    assert path.read_bytes() == before


def test_a_corrupt_ledger_is_never_overwritten(path: Path) -> None:
    path.write_text("<<<<<<< HEAD\n")
    with pytest.raises(InvalidInput, match=r"fleet/addresses\.lock\.yaml:1: error: git left"):
        ledger.write(path, fleet_of("a"), TODAY)
    assert path.read_text() == "<<<<<<< HEAD\n"


def test_bytes_that_are_no_text_are_a_finding(path: Path) -> None:
    path.write_bytes(b"version: 1\nallocations:\n  \xff\xfe: x\nresting: []\n")
    with pytest.raises(InvalidInput, match=r"lock\.yaml:3: error"):
        ledger.read(path)


def test_a_write_leaves_nothing_beside_the_ledger(path: Path) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    assert [file.name for file in path.parent.iterdir()] == [ledger.NAME]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_crash_while_writing_leaves_the_old_ledger(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.write(path, fleet_of("a"), TODAY)
    before = path.read_bytes()

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OrchestrateError, match="cannot write the ledger: No space left"):
        ledger.write(path, fleet_of("a", "b"), TODAY)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [ledger.NAME]


def test_git_sees_no_lock_file(path: Path) -> None:
    root = path.parent.parent
    committed = Path(__file__).parents[3] / ".gitignore"
    (root / ".gitignore").write_text(committed.read_text())
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    ledger.write(path, fleet_of("a"), TODAY)
    seen = subprocess.run(
        ["git", "-C", str(root), "status", "--porcelain", "-uall"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert seen.stdout.split() == ["??", ".gitignore", "??", "fleet/addresses.lock.yaml"]


def test_a_writer_that_waits_too_long_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_file, "PATIENCE_S", 0.0)
    refused = pytest.raises(OrchestrateError, match="another orchestrate")
    with record_file.writing(path, "ledger"), refused:
        _in_another_process(path)


def _in_another_process(path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply(ledger.write, (path, fleet_of("a"), TODAY))


def test_s12_removing_one_cluster_renumbers_nobody(path: Path) -> None:
    before = ledger.write(path, fleet_of("a", "b", "c"), TODAY).after
    after = ledger.write(path, fleet_of("a", "c", "d"), TODAY).after
    kept = {key for key in before.allocations if not key.startswith("b/")}
    assert {key: after.allocations[key] for key in kept} == {
        key: before.allocations[key] for key in kept
    }
    assert not after.allocations["d/vpc"].overlaps(before.allocations["b/vpc"])


def test_s12_fifty_writers_at_once_get_fifty_ranges_that_stay(path: Path) -> None:
    """Each adds its cluster to the fleet it sees; those still on their way are missing in it."""
    names = [f"c{number}" for number in range(WRITERS)]
    clusters = path.parent / "clusters"
    clusters.mkdir()
    fork = multiprocessing.get_context("fork")
    start, told = fork.Barrier(WRITERS), fork.SimpleQueue()

    def add(name: str) -> None:
        start.wait()
        (clusters / name).touch()
        fleet = fleet_of(*sorted(file.name for file in clusters.iterdir()))
        told.put((name, ledger.write(path, fleet, TODAY).after.allocations[f"{name}/vpc"]))

    writers = [fork.Process(target=add, args=(name,)) for name in names]
    for writer in writers:
        writer.start()
    given = dict(told.get() for _ in writers)
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    assert len(set(given.values())) == WRITERS
    settled = ledger.write(path, fleet_of(*names), TODAY).after.allocations
    assert {name: settled[f"{name}/vpc"] for name in names} == given
