"""Slots: the lock says who has one, and the kernel drops it with its process."""

from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab import slots


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "lock_folder", lambda: tmp_path)


def test_the_first_free_slot_is_taken() -> None:
    with slots.take() as first, slots.take() as second:
        assert (first, second) == (0, 1)


def test_a_slot_is_free_again_afterwards() -> None:
    with slots.take():
        pass
    with slots.take() as again:
        assert again == 0


def test_the_preferred_slot_is_taken_when_it_is_free() -> None:
    with slots.take(preferred=7) as mine, slots.take(preferred=7) as other:
        assert (mine, other) == (7, 0)


def test_all_taken_is_an_error_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "SLOTS", 1)
    with slots.take(), pytest.raises(LabError, match="taken") as caught, slots.take():
        pass
    assert "lab down" in caught.value.fix


def test_a_held_file_is_refused_not_waited_for(tmp_path: Path) -> None:
    with slots.held(tmp_path / "lock") as mine, slots.held(tmp_path / "lock") as second:
        assert mine
        assert not second


def test_an_error_inside_is_not_swallowed(tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError), slots.held(tmp_path / "lock"):
        raise BlockingIOError
