"""Why there can be no real hosts, said so that one knows what to do."""

import os

import pytest

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
