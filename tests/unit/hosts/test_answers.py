"""A host may say anything: what it says is a report, a key, a name, or nothing."""

import base64
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from orchestrate.cli import converge_view
from orchestrate.errors import OrchestrateError
from orchestrate.hosts import host_keys, standing
from orchestrate.hosts.channel import Answer
from orchestrate.hosts.converge import How, Task, ailments, result_of
from orchestrate.hosts.host_keys import HostKey
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.results import Outcome, Results, report
from orchestrate.verify import junit, verdicts
from orchestrate.verify.verdicts import Case, Verdict, Verdicts
from tests.hostile import HOSTILE
from tests.unit.cli.test_terminal import is_harmless, printed

STRANGE = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
HOST = Host("cpu-1.west", "west", "cpu-worker", "cpu", "", "i-1", "running", "10.0.0.4", "", "u")
TASK = Task(HOST, "d", "{}", b"")


def answer(said: object, *, code: int = 0, text: str = "") -> Answer:
    ends = "troubled before: \ntroubled now: \n" + json.dumps(said)
    return Answer(code, text.encode("utf-8", "replace"), ends.encode())


@STRANGE
def test_a_report_is_shown_and_obeyed_by_nobody(text: str) -> None:
    updated = [dict.fromkeys(("resource", "action", "cookbook", "recipe", "changes"), text)]
    failed = {"resource": text, "error": text, "where": text}
    for said in (
        {"client": text, "resources": 3, "updated": updated, "failed": None},
        {"client": text, "resources": 3, "updated": updated, "failed": failed},
    ):
        for code in (0, 1):
            told = answer(said, code=code, text=text)
            result = result_of(TASK, told, How(why_run=True))
            parts = converge_view.whole(Results((result,)), {}, Path("/runs/r"), [], why_run=True)
            assert all(is_harmless(printed(part)) for part in parts)


@pytest.mark.parametrize(
    "said",
    [
        *([], 1, "x", None, {}, {"failed": "x", "client": 1, "resources": 1, "updated": []}),
        {"failed": None, "client": None, "resources": "many", "updated": []},
        {"failed": None, "client": "c", "resources": 1, "updated": [1, "x", None]},
        {"failed": None, "client": "c", "resources": 1, "updated": {"a": 1}},
        {"failed": None, "client": "c", "resources": 1e999, "updated": []},
        {
            "failed": {"error": {"a": []}, "where": 3},
            "client": [],
            "resources": True,
            "updated": [],
        },
    ],
    ids=repr,
)
def test_a_report_of_another_shape_ends_nothing(said: object) -> None:
    told = report(json.dumps(said))
    assert told is None or isinstance(told.where, str)
    assert result_of(TASK, answer(said), How()).outcome in Outcome
    assert standing.parse(json.dumps(said)) is None


def test_depth_ends_nothing() -> None:
    deep = "[" * 100_000
    assert report(f'{{"failed": {deep}') is None
    assert standing.parse(deep) is None


@STRANGE
def test_what_a_host_says_of_its_health_is_told_on_a_line(text: str) -> None:
    said = ailments(f"system: {text}\ntroubled now: {text}", frozenset())
    assert is_harmless(printed(said, markup=False))


@STRANGE
def test_a_console_shows_keys_and_nothing_else(tmp_path: Path, text: str) -> None:
    kind = text.encode("utf-8", "surrogatepass")
    blob = base64.b64encode(len(kind).to_bytes(4) + kind + b"\0\0\0\1x").decode()
    console = f"{host_keys.BEGIN}\r\n{text} {blob} {text}\r\n{text}\r\n{host_keys.END}\r\n"
    file = tmp_path / "known_hosts"
    host_keys.record(file, {"i-1": host_keys.on_console(console)})
    assert all(line.split(" ")[0] == "i-1" for line in file.read_text().splitlines())
    assert all(one.type in ("10", "yes", "null") for one in host_keys.on_console(console))


@STRANGE
def test_a_key_is_kept_under_a_name_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "known_hosts"
    try:
        host_keys.record(file, {text: [HostKey("ssh-ed25519", "AAAA")]})
    except OrchestrateError as refused:
        assert refused.what.isprintable()
    else:
        assert file.read_text() == f"{text} ssh-ed25519 AAAA\n"
        assert text.isalnum()


@STRANGE
def test_junit_is_xml_whatever_a_host_says(text: str) -> None:
    cases = (
        Case(text, text, verdicts.Outcome.FAILED, 0.1, text, text, text, text),
        Case(text, text, verdicts.Outcome.SKIPPED, 0.1, text, text),
    )
    found = Verdicts([Verdict(text, cases), Verdict(text, (), unreachable=text)], Path("l"))
    written = junit.text(found)
    assert [one.tag for one in ElementTree.fromstring(written)] == ["testsuite", "testsuite"]
    assert written.encode()
