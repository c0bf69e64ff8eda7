"""Slots: the lock says who has one, and the kernel drops it with its process."""

import os
from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab import slots


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "lock_folder", lambda: tmp_path)
    # A network's names are everybody's, and labs may be running here.
    monkeypatch.setattr(
        slots, "network_name", lambda slot: f"\0{tmp_path.name}-{os.getpid()}-{slot}"
    )


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


def test_labs_of_two_chroots_in_one_network_get_slots_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with slots.take() as first:
        monkeypatch.setattr(slots, "lock_folder", lambda: other)
        with slots.take() as second:
            assert (first, second) == (0, 1)
    with slots.claimed(0) as free:
        assert free


def test_who_is_refused_the_file_leaves_the_name_to_its_owner() -> None:
    with slots.held(slots.path(0)), slots.claimed(0) as refused:
        assert not refused
        with slots._named(slots.network_name(0)) as free:
            assert free


def test_an_error_while_a_slot_is_held_is_not_swallowed() -> None:
    with pytest.raises(OSError, match="disk full"), slots.claimed(0) as mine:
        assert mine
        raise OSError("disk full")


def test_a_held_file_is_refused_not_waited_for(tmp_path: Path) -> None:
    with slots.held(tmp_path / "lock") as mine, slots.held(tmp_path / "lock") as second:
        assert mine
        assert not second


def test_an_error_inside_is_not_swallowed(tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError), slots.held(tmp_path / "lock"):
        raise BlockingIOError


@pytest.mark.parametrize("trap", ["pipe", "link", "folder"])
def test_what_another_user_put_in_the_place_of_a_lock_stops_nobody(
    tmp_path: Path, trap: str
) -> None:
    """The folder of locks is everybody's: opening a pipe there would wait for ever."""
    place, victim = slots.path(0), tmp_path / "victim"
    if trap == "pipe":
        os.mkfifo(place)
    elif trap == "folder":
        place.mkdir()
    else:
        place.symlink_to(victim)
    with slots.take() as mine:
        assert mine == (1 if trap == "link" else 0)
    assert not victim.exists()
