"""A lab's secret and folder: whose they are, who reads them, what is derived."""

import os
import stat
from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab import own_folder, secret
from orchestrate.lab.paths import LabFiles


@pytest.fixture
def files(tmp_path: Path) -> LabFiles:
    found = LabFiles(tmp_path / "lab")
    own_folder.make(found)
    return found


def test_the_secret_is_the_owners_whatever_the_umask(files: LabFiles) -> None:
    before = os.umask(0)
    try:
        secret.ensure(files)
    finally:
        os.umask(before)
    assert stat.S_IMODE(files.secret.stat().st_mode) == 0o600


def test_a_secret_stays_until_the_lab_goes(files: LabFiles) -> None:
    assert secret.ensure(files) == secret.ensure(files)


@pytest.mark.parametrize("written", [None, "", "00", "no hexadecimals"])
def test_a_secret_that_is_gone_is_said_so(files: LabFiles, written: str | None) -> None:
    if written is not None:
        files.secret.write_text(written)
    with pytest.raises(LabError, match="secret is gone") as told:
        secret.read(files)
    assert "lab up" in told.value.fix


def test_nothing_derived_is_like_another_or_shows_the_secret() -> None:
    own, other = secret.fresh(), secret.fresh()
    derived = {own.token, own.access_key("123456789012"), own.access_key("999999999999")}
    derived |= {other.token, other.access_key("123456789012")}
    assert len(derived) == 5
    assert not [each for each in derived if own.seed.hex()[:16] in each]
    assert own.seed.hex() not in repr(own)
    assert own.token not in repr(own)


def test_only_the_whole_header_opens() -> None:
    own = secret.fresh()
    header = own.authorization["Authorization"]
    assert own.opens(header)
    for other in ("", "Bearer ", header[:-1], header + "0", header.lower()[7:], "Bearer \xff"):
        assert not own.opens(other)
