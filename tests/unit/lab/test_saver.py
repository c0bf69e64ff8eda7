"""What is written of a lab's cloud at its end: all, also what came while the saver rested."""

import json
import threading
from pathlib import Path

import pytest

from orchestrate.lab import saved_cloud
from orchestrate.lab.saved_cloud import Saver


@pytest.mark.parametrize("changes", [0, 1, 3])
def test_changes_made_while_it_rests_are_written_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: int
) -> None:
    """After a save the saver rests for long; whoever ends it then must not lose what came since."""
    world, saved = ["first"], threading.Event()

    def dump() -> bytes:
        saved.set()
        return json.dumps(world).encode()

    monkeypatch.setattr(saved_cloud, "dump", dump)
    monkeypatch.setattr(saved_cloud, "SETTLE_S", 0)
    monkeypatch.setattr(saved_cloud, "SHARE", 10_000_000)
    saver = Saver(tmp_path / "cloud.saved", 0, threading.Lock())
    saver.touch()
    assert saved.wait(30)
    for number in range(changes):
        world.append(f"change {number}")
        saver.touch()
    saver.close()

    assert json.loads((tmp_path / "cloud.saved").read_bytes().partition(b"\n")[2]) == world
