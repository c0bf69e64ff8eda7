"""What `orchestrate lab status` says of the lab's API."""

from typing import Any

import pytest

from orchestrate.cli import lab_status
from orchestrate.errors import LabError

FINE = {"calls": 12345, "came_twice": 0, "exceptions": 0, "incidents": []}
TWICE = {"kind": "twice", "what": "ec2 CreateVpc", "error": "", "place": "", "count": 2}
BROKE = {
    "kind": "exception",
    "what": "ec2 RunInstances",
    "error": "AssertionError: user data",
    "place": "lab/gaps/autoscaling.py:255 in _launch_one",
    "count": 1,
}

STATUS: dict[str, Any] = {
    "endpoint": "http://127.0.0.1:4",
    "pid": 7,
    "slot": 0,
    "stage": "ready",
    "uptime_s": 60,
    "real_hosts": False,
    "why_no_hosts": "asked for",
    "max_hosts": 40,
    "racks": [],
    "counts": {},
    "instances": [],
}


def _shown(api: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    lab_status.show({**STATUS, "api": api})
    return " ".join(capsys.readouterr().out.split())


def test_a_lab_that_is_well_says_how_many_calls_it_had(capsys: pytest.CaptureFixture[str]) -> None:
    said = _shown(FINE, capsys)

    assert "calls 12,345, 0 came twice" in said
    assert "lab logs" not in said


def test_what_must_not_happen_is_named_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    said = _shown(
        {"calls": 9, "came_twice": 2, "exceptions": 1, "incidents": [BROKE, TWICE]}, capsys
    )

    assert "2 came twice" in said
    assert "came twice: ec2 CreateVpc (2 times)" in said
    assert "failed: ec2 RunInstances: AssertionError: user data" in said
    assert "lab/gaps/autoscaling.py:255 in _launch_one" in said
    assert "orchestrate lab logs" in said


@pytest.mark.parametrize("untold", ["api", "racks", "counts"])
def test_a_lab_of_another_version_is_shown_as_far_as_it_tells_and_started_anew(
    untold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = {**STATUS, "api": FINE}
    del status[untold]
    with pytest.raises(LabError, match=f"doesn't tell its '{untold}'") as told:
        lab_status.show(status)
    assert "orchestrate lab up" in told.value.fix
    assert "pid 7" in capsys.readouterr().out
