"""What must not happen in a lab is counted, named, and reported to whoever runs many."""

import json
import logging
from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab.call import Call
from orchestrate.lab.incidents import NAMED, REPORT_VARIABLE, Incidents, counted
from tests.lab_report import fails, told

CALL = Call("123456789012", "us-west-2", "ec2", "CreateVpc", invocation="one", attempt=2)

OWN = "lab-of-this-test"  # loggers that no lab of this process listens to


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "report.jsonl"
    monkeypatch.setenv(REPORT_VARIABLE, str(file))
    return file


def _break(source: str, error: Exception) -> None:
    try:
        raise error
    except Exception:
        logging.getLogger(source).exception("ec2 RunInstances")


def test_calls_that_came_twice_and_exceptions_are_counted_and_named(report: Path) -> None:
    with counted(OWN) as incidents:
        incidents.called()
        incidents.twice(CALL)
        incidents.twice(CALL)
        _break(f"{OWN}.api", AssertionError("no user data"))
        told = incidents.told()

    assert (told["calls"], told["came_twice"], told["exceptions"]) == (1, 2, 1)
    broke, twice = told["incidents"]
    assert (twice["what"], twice["count"]) == ("ec2 CreateVpc", 2)
    assert (broke["what"], broke["error"]) == ("ec2 RunInstances", "AssertionError: no user data")
    assert broke["place"].startswith("unit/lab/test_incidents.py:")
    assert broke["place"].endswith(" in _break")


def test_each_is_a_line_of_the_report_at_once_and_a_test_run_fails_for_it(report: Path) -> None:
    with counted(OWN) as incidents:
        incidents.called()
        incidents.twice(CALL)
        _break(OWN, ValueError())
        assert len(report.read_text().splitlines()) == 2

    twice, broke, totals = [json.loads(line) for line in report.read_text().splitlines()]
    assert totals == {"kind": "totals", "calls": 1}
    in_api = {**broke, "source": "lab.api"}
    assert [fails(one) for one in (twice, broke, in_api, totals)] == [True, False, True, False]
    first, *named = told([twice, broke, in_api, totals])
    assert first == "1 calls: 1 came twice without a fault, 2 exceptions"
    assert [line.split()[2] for line in named] == ["FAILED", "FAILED", "noticed"]


def test_what_a_user_can_act_on_is_no_exception_of_the_labs(report: Path) -> None:
    with counted(OWN) as incidents:
        _break(OWN, LabError("no hosts here"))
        logging.getLogger(OWN).error("said, not raised")

        assert incidents.told()["exceptions"] == 0


def test_kinds_beyond_the_first_are_counted_together() -> None:
    incidents = Incidents()
    for number in range(NAMED + 5):
        incidents.twice(Call("", "", "ec2", f"Create{number}"))

    told = incidents.told()

    assert told["came_twice"] == NAMED + 5
    assert len(told["incidents"]) == NAMED + 1
    assert [row["count"] for row in told["incidents"] if row["what"] == "others"] == [5]


def test_without_a_report_named_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(REPORT_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    with counted(OWN) as incidents:
        incidents.twice(CALL)

    assert list(tmp_path.iterdir()) == []
