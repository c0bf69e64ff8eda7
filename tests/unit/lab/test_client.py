"""What the lab's tools get in their environment, whatever the user has in theirs."""

from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab.client import environment, running
from orchestrate.lab.paths import LabFiles
from orchestrate.lab.record import LabRecord, birth, write
from orchestrate.lab.secret import fresh

FILES = LabFiles(Path("/lab"))
OWN = fresh()


def test_the_access_key_is_the_account() -> None:
    found = environment("http://127.0.0.1:1", "123456789012", FILES, OWN)

    assert found["AWS_ACCESS_KEY_ID"] == "123456789012"
    assert found["AWS_SECRET_ACCESS_KEY"] == OWN.access_key("123456789012")
    assert found["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"


def test_a_user_s_session_and_profile_do_not_reach_the_lab() -> None:
    caller = {"AWS_SESSION_TOKEN": "secret", "AWS_PROFILE": "production"}

    found = {**caller, **environment("http://127.0.0.1:1", "1", FILES, OWN)}

    assert found["AWS_SESSION_TOKEN"] == ""
    assert found["AWS_PROFILE"] == "default"
    assert found["AWS_CONFIG_FILE"] == found["AWS_SHARED_CREDENTIALS_FILE"] == "/lab/aws-config"


def test_no_proxy_stands_before_the_lab() -> None:
    found = environment("http://127.0.0.1:1", "1", FILES, OWN)

    assert found["NO_PROXY"] == found["no_proxy"] == "127.0.0.1"


def test_a_lab_that_is_not_ready_says_what_it_is_at(tmp_path: Path) -> None:
    files = LabFiles(tmp_path)
    own = 1
    write(files.record, LabRecord(own, birth(own), "", 0, "building the root file system", True))

    with pytest.raises(LabError, match="not ready: building the root file system"):
        running(files)


def test_a_lab_nobody_started_is_not_running(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="the lab is not running") as caught:
        running(LabFiles(tmp_path))
    assert caught.value.fix == "orchestrate lab up"
