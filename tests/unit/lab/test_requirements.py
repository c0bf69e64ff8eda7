"""Why there can be no real hosts, said so that one knows what to do."""

import os
from pathlib import Path

import pytest

from orchestrate.lab import container
from orchestrate.lab.requirements import missing


def test_only_root_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert missing() == "real hosts need root"


def test_missing_programs_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", "/nowhere")

    why = missing()

    assert why is not None
    assert "systemd-nspawn" in why
    assert "apt-get install" in why
    assert "mmdebstrap" in why


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_a_file_system_where_owners_cannot_be_moved_has_no_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORCHESTRATE_LAB_DIR", str(tmp_path / "lab"))
    monkeypatch.setenv("ORCHESTRATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(container, "ENTER", _refusing(tmp_path))

    why = missing()

    assert why is not None
    assert "owners cannot be moved (Linux 5.19; ext4, XFS, Btrfs)" in why


def _refusing(folder: Path) -> Path:
    """The program, for a kernel without mount_setattr(2)."""
    text = container.ENTER.read_text()
    program = folder / "enter_host.py"
    program.write_text(
        text.replace("MOUNT_SETATTR = 428, 429, 442", "MOUNT_SETATTR = 428, 429, 4095")
    )
    return program
