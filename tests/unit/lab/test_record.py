"""The record of a running lab, and which process it means."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.lab.record import LabRecord, birth, read, write

OURS = LabRecord(os.getpid(), birth(os.getpid()), "http://127.0.0.1:1", 3, "ready", False, "why")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write(tmp_path / "lab.json", OURS)

    assert read(tmp_path / "lab.json") == OURS
    assert [file.name for file in tmp_path.iterdir()] == ["lab.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"pid": 1, "unknown": 2}'])
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lab.json"
    path.write_text(text)

    assert read(path) is None


def test_a_process_is_known_by_its_birth() -> None:
    assert OURS.alive
    assert not replace(OURS, born=OURS.born - 1).alive


def test_a_process_that_has_ended_is_not_alive_even_before_it_is_waited_for() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

    assert birth(child) == 0

    os.waitpid(child, 0)
    assert birth(child) == 0
