"""How events become verdicts, and verdicts a log and JUnit XML."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from orchestrate.verify import events, junit
from orchestrate.verify.events import Collected, Ended, Event, Result, Started, Unreachable
from orchestrate.verify.log import write_log
from orchestrate.verify.run import Unseen
from orchestrate.verify.tally import Tally
from orchestrate.verify.verdicts import Case, Outcome, State, Verdict, Verdicts

PASS = Case("base", "test_a", Outcome.PASSED, 0.25)
SKIP = Case("base", "test_b", Outcome.SKIPPED, 0.0, message="no card")
FAIL = Case(
    "nvidia",
    "test_c",
    Outcome.FAILED,
    0.5,
    where="tests/infra/nvidia/test_x.py:3",
    message='assert "\x1b[1m<b>" == 1',
    commands="# cat /x\n\x00",
    details="def test_c ...",
)
EVENTS: list[Event] = [
    Collected({"a": 2, "b": 1, "c": 4}),
    Started("a"),
    Started("b"),
    Started("c"),
    Result("a", PASS),
    Result("b", FAIL),
    Unreachable("c", "it is stopped"),
    Ended("c", 0.0),
    Ended("b", 0.5),
    Result("a", SKIP),
    Ended("a", 1.5),
]


class Seen(Unseen):
    def __init__(self) -> None:
        self.told: list[object] = []

    def started(self, host: str, tests: int) -> None:
        self.told.append((host, tests))

    def ended(self, verdict: Verdict) -> None:
        self.told.append((verdict.host, verdict.state))


@pytest.fixture
def verdicts(tmp_path: Path) -> Verdicts:
    tally = Tally(["a", "b", "c", "d"], Unseen())
    for event in EVENTS:
        tally.take(event)
    return Verdicts([write_log(tmp_path, one) for one in tally.verdicts()], tmp_path)


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_survives_its_line(event: Event) -> None:
    assert events.parse(events.line(event)) == event


@pytest.mark.parametrize(
    "line", ["", "Traceback (most recent call last):", "3", "{}", '{"event": "other"}', '{"event":']
)
def test_any_other_line_is_no_event(line: str) -> None:
    assert events.parse(line) is None


def test_every_host_has_a_verdict_in_the_order_asked_for(verdicts: Verdicts) -> None:
    states = [(one.host, one.state) for one in verdicts.hosts]
    assert states == [
        ("a", State.PASSED),
        ("b", State.FAILED),
        ("c", State.UNREACHABLE),
        ("d", State.UNTESTED),
    ]


@pytest.mark.parametrize(
    ("verdict", "ok"),
    [
        (Verdict("a", (PASS, SKIP)), True),
        (Verdict("a"), True),
        (Verdict("a", (PASS, FAIL)), False),
        (Verdict("a", (PASS,), unreachable="lost"), False),
    ],
)
def test_all_is_well_where_nothing_failed_and_everybody_was_reached(
    verdict: Verdict, ok: bool
) -> None:
    assert Verdicts([verdict], Path()).ok is ok


def test_an_observer_hears_of_a_hosts_turn_and_of_its_end() -> None:
    seen = Seen()
    tally = Tally(["a", "b", "c"], seen)
    for event in EVENTS:
        tally.take(event)
    assert seen.told[:3] == [("a", 2), ("b", 1), ("c", 4)]
    assert seen.told[3:] == [
        ("c", State.UNREACHABLE),
        ("b", State.FAILED),
        ("a", State.PASSED),
    ]


def test_a_log_has_every_test_and_all_of_a_failure(verdicts: Verdicts) -> None:
    a, b, c, d = verdicts.hosts
    assert a.log is not None
    assert "passed   base: test_a" in a.log.read_text()
    assert "no card" in a.log.read_text()
    assert b.log is not None
    assert "def test_c ...\n# cat /x" in b.log.read_text()
    assert c.log is not None
    assert "it is stopped" in c.log.read_text()
    assert d.log is None


def test_junit_has_a_suite_per_host_and_counts_the_unreachable_as_errors(
    verdicts: Verdicts,
) -> None:
    root = ElementTree.fromstring(junit.text(verdicts))
    assert [suite.get("name") for suite in root] == ["a", "b", "c", "d"]
    counted = ("tests", "failures", "errors", "skipped")
    assert [tuple(suite.get(key) for key in counted) for suite in root] == [
        ("2", "0", "0", "1"),
        ("1", "1", "0", "0"),
        ("1", "0", "1", "0"),
        ("0", "0", "0", "0"),
    ]
    assert tuple(root.get(key) for key in counted) == ("4", "1", "1", "1")
    states = [one.get("value") for one in root.iter("property") if one.get("name") == "state"]
    assert states == ["passed", "failed", "unreachable", "untested"]


def test_junit_has_a_host_that_was_left_out_as_skipped(verdicts: Verdicts) -> None:
    root = ElementTree.fromstring(junit.text(verdicts.without({"e": "it is stopping"})))
    (suite,) = [one for one in root if one.get("name") == "e"]
    assert (suite.get("tests"), suite.get("skipped")) == ("1", "1")
    assert [one.get("message") for one in suite.iter("skipped")] == ["it is stopping"]


def test_junit_is_xml_whatever_a_host_prints(verdicts: Verdicts) -> None:
    (failure,) = ElementTree.fromstring(junit.text(verdicts)).iter("failure")
    assert failure.get("message") == 'assert "\ufffd[1m<b>" == 1'
    assert failure.text is not None
    assert failure.text.startswith("tests/infra/nvidia/test_x.py:3\n\ndef test_c ...")
