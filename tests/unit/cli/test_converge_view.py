"""What is said at the end of a converge, and on the way."""

from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from orchestrate.cli import converge_view
from orchestrate.cli.host_progress import PlainLines
from orchestrate.hosts.results import Outcome, Report, Result, Results, Update

DIFFERENCE = Update("file[/etc/motd]", "create", "cookbooks/base/recipes/motd.rb:3", "-old\n+new")
CHANGED = Report("Cinc 18.5", 40, (DIFFERENCE,))


def printed(
    results: Results, *, skipped: dict[str, str] | None = None, why_run: bool = False
) -> str:
    out = Console(file=StringIO(), width=160)
    for part in converge_view.whole(
        results, skipped or {}, Path("/runs/r1"), ["rack1"], why_run=why_run
    ):
        out.print(part, soft_wrap=isinstance(part, str))
    text: str = out.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_the_end_names_causes_places_logs_and_who_was_not_reached() -> None:
    text = printed(
        Results(
            (
                Result("a", Outcome.CHANGED, report=CHANGED, seconds=3.2),
                Result(
                    "b",
                    Outcome.FAILED,
                    "service[x]: it did not start",
                    "chef/cookbooks/base/recipes/x.rb:7",
                    "look",
                ),
                Result("c", Outcome.UNREACHABLE, "no answer", fix="look at its console"),
                Result("d", Outcome.NOT_STARTED),
            ),
            stopped="1 of 4 hosts has failed, none may",
        ),
        skipped={"e": "it is shutting-down"},
    )
    for words in (
        "b: service[x]: it did not start",
        "at:   chef/cookbooks/base/recipes/x.rb:7",
        "log:  /runs/r1/logs/b.log",
        "next: look at its console",
        "1 changed, 1 failed, 1 unreachable, 1 not started, 1 left out",
        "stopped (1 of 4 hosts has failed, none may); not started: d",
        "the key of rack1 came with the first connection",
    ):
        assert words in text
    assert "logs/c.log" not in text


def test_a_host_that_is_left_out_has_a_row_that_says_why() -> None:
    text = printed(Results(()), skipped={"e": "it is shutting-down", "f": "its group takes it"})
    rows = [line.rstrip().split(maxsplit=3) for line in text.splitlines() if "left out" in line]
    assert rows[:2] == [
        ["e", "left", "out", "it is shutting-down"],
        ["f", "left", "out", "its group takes it"],
    ]
    assert "\n2 left out\n" in text


def test_one_cause_of_many_hosts_is_told_once() -> None:
    failed = [Result(f"h{n}", Outcome.FAILED, "its disk is full") for n in range(40)]
    text = printed(Results(tuple(failed)))
    assert "h0, h1, h2, h3, h4, h5 and 34 more: its disk is full" in text
    assert text.count("log:") == 1


def test_why_run_tells_the_same_differences_once_with_their_places() -> None:
    hosts = (
        Result("a", Outcome.CHANGED, report=CHANGED),
        Result("b", Outcome.UNCHANGED, report=Report("Cinc", 40, ())),
        Result("c", Outcome.CHANGED, report=CHANGED),
    )
    text = printed(Results(hosts), why_run=True)
    assert "a, c\n  create file[/etc/motd]  cookbooks/base/recipes/motd.rb:3\n" in text
    assert text.count("+new") == 1
    assert "2 would change, 1 unchanged" in text


def test_words_of_a_host_are_no_markup() -> None:
    text = printed(Results((Result("a", Outcome.FAILED, "execute[/bin/false]: [red]no"),)))
    assert "execute[/bin/false]: [red]no" in text


def test_json_has_it_all() -> None:
    results = Results((Result("a", Outcome.CHANGED, report=CHANGED, seconds=3.25),))
    told = converge_view.as_json(results, {}, Path("/runs/r1"), 0)
    assert told == {
        "run": "r1",
        "exit_code": 0,
        "stopped": None,
        "counts": {"changed": 1},
        "skipped": {},
        "hosts": {
            "a": {
                "outcome": "changed",
                "cause": None,
                "where": None,
                "fix": None,
                "seconds": 3.2,
                "client": "Cinc 18.5",
                "resources": 40,
                "updated": [
                    {
                        "resource": "file[/etc/motd]",
                        "action": "create",
                        "where": "cookbooks/base/recipes/motd.rb:3",
                        "changes": "-old\n+new",
                    }
                ],
                "log": "/runs/r1/logs/a.log",
            }
        },
    }


def test_json_of_a_why_run_says_what_would_change_and_not_what_did() -> None:
    results = Results(
        (Result("a", Outcome.CHANGED, report=CHANGED), Result("b", Outcome.UNCHANGED))
    )
    told: Any = converge_view.as_json(results, {}, Path("/runs/r1"), 2, why_run=True)
    assert told["counts"] == {"would change": 1, "unchanged": 1}
    assert told["hosts"]["a"]["outcome"] == "would change"
    assert told["hosts"]["b"]["outcome"] == "unchanged"


def test_plain_lines_tell_of_ends_and_of_life_between_them() -> None:
    said: list[str] = []
    now = [0.0]
    lines = PlainLines(3, said.append, lambda: now[0])
    lines.doing("a", "converging")
    lines.doing("b", "converging")
    now[0] = 10.0
    lines.said("a", "apt is slow")
    now[0] = 31.0
    lines.said("a", "apt is still slow")
    now[0] = 40.0
    lines.ended(Result("a", Outcome.FAILED, "it broke\nbadly"))
    lines.ended(Result("c", Outcome.NOT_STARTED))
    assert said == ["[  31.0s] 0 of 3 done; at work: a, b\n", "[  40.0s] a: failed: it broke\n"]


def test_plain_lines_of_a_why_run_say_what_would_change() -> None:
    said: list[str] = []
    lines = PlainLines(3, said.append, lambda: 1.0, why_run=True)
    for name, outcome in (
        ("a", Outcome.CHANGED),
        ("b", Outcome.UNCHANGED),
        ("c", Outcome.FAILED),
    ):
        lines.ended(Result(name, outcome))
    assert [line.split("] ")[1] for line in said] == [
        "a: would change\n",
        "b: unchanged\n",
        "c: failed\n",
    ]
