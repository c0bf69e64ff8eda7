"""What an operator reads of a verification."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from orchestrate.cli import verify_view
from orchestrate.cli.timed_lines import SIGN_OF_LIFE_S
from orchestrate.cli.verify_progress import PlainLines
from orchestrate.verify.verdicts import Case, Outcome, Verdict, Verdicts

PASS = Case("base", "test_a", Outcome.PASSED, 0.1)
WRONG_MODE = Case(
    "base",
    "test_mode[x]",
    Outcome.FAILED,
    0.1,
    where="tests/infra/base/test_x.py:7",
    message="assert mode 0o644 == 0o600\n  of [file]",
    commands="# uname -s\nLinux\n# stat -Lc %a /x\n644",
)
LOST = Verdict("gone.c", (PASS,), unreachable="it is stopped", seconds=0.0)


def verdicts(*hosts: Verdict) -> Verdicts:
    return Verdicts(hosts, Path("logs"))


def shown(lines: object) -> str:
    out = Console(width=200, highlight=False)
    with out.capture() as captured:
        for line in lines if isinstance(lines, list) else [lines]:
            out.print(line, soft_wrap=True)
    return captured.get()


def test_a_failure_of_many_hosts_is_shown_once_with_what_the_host_answered() -> None:
    hosts = [Verdict(f"cpu-{number}.c", (PASS, WRONG_MODE)) for number in range(8)]
    text = shown(list(verify_view.failures(verdicts(*hosts))))
    assert text.splitlines() == [
        "",
        "failed  base: test_mode[x]  tests/infra/base/test_x.py:7",
        "  on cpu-0.c, cpu-1.c, cpu-2.c, cpu-3.c, cpu-4.c, cpu-5.c and 2 more",
        "  assert mode 0o644 == 0o600",
        "    of [file]",
        "    # stat -Lc %a /x",
        "    644",
    ]


def test_failures_that_differ_stand_apart() -> None:
    other = Case("base", "test_mode[x]", Outcome.FAILED, 0.1, message="assert 1 == 2")
    hosts = [Verdict("a", (WRONG_MODE,)), Verdict("b", (other,))]
    assert shown(list(verify_view.failures(verdicts(*hosts)))).count("failed ") == 2


def test_the_last_words_name_who_is_concerned() -> None:
    found = verdicts(Verdict("a", (PASS,)), Verdict("b", (WRONG_MODE,)), LOST)
    found = found.without({"old": "the fleet has no c any more"})
    text = shown(list(verify_view.last_words(found)))
    assert text.splitlines() == [
        "",
        "1 passed, 1 failed, 1 unreachable, 1 left out",
        "failed: b",
        "unreachable: gone.c",
        "logs: logs",
    ]


def test_the_table_has_a_row_per_host_and_says_why_one_is_out_of_reach() -> None:
    text = shown(verify_view.table(verdicts(Verdict("b", (PASS, WRONG_MODE)), LOST)))
    header, failed, gone = text.splitlines()
    assert header.split() == ["host", "result", "passed", "failed", "skipped", "seconds"]
    assert failed.split() == ["b", "failed", "1", "1"]
    assert "it is stopped" in gone


def test_a_host_that_is_left_out_has_a_row_that_says_why() -> None:
    text = shown(verify_view.table(verdicts().without({"old": "it is stopping"})))
    assert text.splitlines()[1].split(maxsplit=3) == ["old", "left", "out", "it is stopping"]


def test_no_host_at_all_is_said() -> None:
    assert "no host to verify" in shown(list(verify_view.last_words(verdicts())))


def test_what_was_named_and_not_tested_is_the_last_word(capsys: pytest.CaptureFixture[str]) -> None:
    verify_view.show(verdicts().without({"old": "it is stopping"}), ["cpu"], as_json=False)
    assert capsys.readouterr().out.endswith("nothing was done for what was named: cpu\n")
    verify_view.show(verdicts().without({"old": "it is stopping"}), ["cpu"], as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["undone"]) == (False, ["cpu"])


def test_programs_get_everything(capsys: pytest.CaptureFixture[str]) -> None:
    found = verdicts(Verdict("b", (WRONG_MODE,))).without({"old": "why"})
    verify_view.show(found, [], as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert document["counts"]["failed"] == 1
    assert document["skipped"] == {"old": "why"}
    assert document["hosts"]["b"]["tests"][0]["message"] == WRONG_MODE.message


def test_a_pipe_gets_a_line_per_host_and_a_sign_of_life() -> None:
    said: list[str] = []
    now = 0.0
    lines = PlainLines(2, write=said.append, clock=lambda: now)
    lines.tested("a", PASS)
    assert said == []
    now = SIGN_OF_LIFE_S
    lines.tested("a", PASS)
    lines.ended(Verdict("a", (PASS, PASS), seconds=31))
    lines.ended(LOST)
    assert said == [
        "[  30.0s] 0 of 2 hosts, 2 tests; now a\n",
        "[  30.0s] a: passed, 2 passed in 31.0 s\n",
        "[  30.0s] gone.c: unreachable: it is stopped\n",
    ]
