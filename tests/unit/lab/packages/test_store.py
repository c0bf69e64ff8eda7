"""Archive files are fetched once, kept, and dropped by a rule; the downloader is a stand-in."""

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab.packages import store as module
from orchestrate.lab.packages.archives import ArchiveFile
from orchestrate.lab.packages.store import KEEP_DAYS, LIMIT, Absent, Kept, Store, surplus

PACKAGE = ArchiveFile("debian", "/pool/main/h/hello/hello_1_amd64.deb")
INDEX = ArchiveFile("debian", "/dists/bookworm/InRelease")
DAY_S = 86400
# As apt's helper is called: options, `download-file`, where from, where to.
DOWNLOADER = """#!/bin/sh
for word; do from=$to; to=$word; done
echo "$from" >> "$RUNS"
sleep 0.2
if [ -n "$FAIL" ]; then echo "E: Failed to fetch $from  $FAIL" >&2; exit 100; fi
echo "version $(wc -l < "$RUNS")" > "$to"
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    helper = tmp_path / "apt-helper"
    helper.write_text(DOWNLOADER)
    helper.chmod(0o755)
    monkeypatch.setattr(module, "HELPER", str(helper))
    monkeypatch.setenv("RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("FAIL", "")
    return tmp_path / "runs"


@pytest.fixture
def store(tmp_path: Path, runs: Path) -> Store:
    def upstreams() -> Mapping[str, str]:
        return {"debian": "http://mirror.example/debian"}

    return Store(tmp_path / "kept", upstreams)


def read(store: Store, file: ArchiveFile) -> str:
    with store.open(file) as opened:
        return opened.read().decode().strip()


def age(tmp_path: Path, file: ArchiveFile, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(tmp_path / "kept" / file.path, (then, then))


def test_hosts_that_ask_at_once_have_a_file_fetched_once(store: Store, runs: Path) -> None:
    got: list[str] = []
    asking = [threading.Thread(target=lambda: got.append(read(store, PACKAGE))) for _ in range(5)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()

    assert got == ["version 1"] * 5
    assert runs.read_text() == "http://mirror.example/debian/pool/main/h/hello/hello_1_amd64.deb\n"


def test_a_package_stays_and_an_index_is_asked_for_again(store: Store, tmp_path: Path) -> None:
    for file in (PACKAGE, INDEX):
        read(store, file)
        age(tmp_path, file, DAY_S)

    assert read(store, PACKAGE) == "version 1"
    assert read(store, INDEX) == "version 3"
    assert read(store, INDEX) == "version 3"


def test_what_the_archive_lacks_is_absent_even_if_it_was_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(store, INDEX)
    age(tmp_path, INDEX, DAY_S)
    monkeypatch.setenv("FAIL", "404  Not Found [IP: 198.51.100.1 80]")
    for file in (PACKAGE, INDEX):
        with pytest.raises(Absent):
            store.open(file)


def test_without_a_way_out_an_old_index_serves_and_the_rest_says_why(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(store, INDEX)
    age(tmp_path, INDEX, DAY_S)
    monkeypatch.setenv("FAIL", "Could not connect to mirror.example:80")

    assert read(store, INDEX) == "version 1"
    with pytest.raises(LabError, match="no Debian archive within reach: Could not connect"):
        store.open(PACKAGE)
    assert not list((tmp_path / "kept").rglob("*.part"))


def test_kept_files_go_when_nobody_asks_or_when_there_are_too_many() -> None:
    now = 1000 * DAY_S
    kept = [
        Kept(Path("forgotten"), 1, now - (KEEP_DAYS + 1) * DAY_S),
        Kept(Path("big"), LIMIT - 10, now - DAY_S),
        Kept(Path("small"), 10, now),
        Kept(Path("one too many"), 1, now - 2 * DAY_S),
    ]

    assert set(surplus(kept, now)) == {Path("forgotten"), Path("one too many")}


def test_an_archive_this_machine_has_no_source_for_is_not_guessed(store: Store) -> None:
    with pytest.raises(LabError, match="no source for debian-security"):
        store.open(ArchiveFile("debian-security", "/dists/bookworm-security/InRelease"))
