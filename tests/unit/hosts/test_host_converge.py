"""What the answers of a host mean: the report of its client, the exit code, units in trouble."""

import json
from typing import Any

import pytest

from orchestrate.hosts.channel import Answer
from orchestrate.hosts.converge import How, Task, ailments, result_of
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.results import Outcome, Update, report, told

HOST = Host("cpu-1.c", "c", "cpu-worker", "cpu", "z", "i-1", "running", "10.1.0.1", "", "admin")
TASK = Task(HOST, "d1", "{}", b"")
UPDATE = {
    "resource": "file[/etc/motd]",
    "action": "create",
    "cookbook": "base",
    "recipe": "banner",
    "line": 3,
    "changes": "-old\n+new",
}
FAILED = {
    "resource": "service[chrony]",
    "where": "cookbooks/base/recipes/time.rb:12",
    "error": "it did not start",
}


def as_report(**changed: Any) -> str:
    whole = {
        "client": "Cinc 18.5",
        "why_run": False,
        "resources": 40,
        "updated": [],
        "seconds": 1.5,
        "failed": None,
    }
    return json.dumps({**whole, **changed}, indent=1)


def answer(
    code: int = 0, *, log: str = "", before: str = "", now: str = "", ends: str = ""
) -> Answer:
    stderr = f"troubled before: {before}\ntroubled now: {now}\n{ends}"
    return Answer(code, log.encode(), stderr.encode())


@pytest.mark.parametrize(
    ("given", "outcome", "cause"),
    [
        (answer(ends=as_report()), Outcome.UNCHANGED, ""),
        (answer(ends=as_report(updated=[UPDATE])), Outcome.CHANGED, ""),
        (
            answer(1, ends=as_report(failed=FAILED)),
            Outcome.FAILED,
            "service[chrony]: it did not start",
        ),
        (
            answer(ends=as_report(), now="chrony.service"),
            Outcome.FAILED,
            "unhealthy: chrony.service is failed or restarting",
        ),
        (
            answer(ends=as_report(), before="old.service", now="old.service"),
            Outcome.UNCHANGED,
            "",
        ),
        (
            Answer(75, b"", b"busy: ada on laptop, process 7, since 09:00\n"),
            Outcome.FAILED,
            "another run is at work there: ada on laptop, process 7, since 09:00",
        ),
        (
            answer(75, log="converge.sh: another converge is at work: process 9"),
            Outcome.FAILED,
            "another run is at work there: converge.sh: another converge is at work: process 9",
        ),
        (
            Answer(1, b"", b"tar: a: Cannot write: No space left on device\n"),
            Outcome.FAILED,
            "its disk is full",
        ),
        (
            answer(1, ends=as_report(failed={"error": "No space left on device: /var has 0 kB"})),
            Outcome.FAILED,
            "its disk is full",
        ),
        (
            Answer(1, b"", b"sudo: a password is required\n"),
            Outcome.FAILED,
            "sudo: a password is required",
        ),
        (
            answer(
                127,
                log="env: 'ruby': No such file\nconverge.sh: ended with code 127\n",
                ends=as_report(resources=0, failed={"error": "ended with code 127"}),
            ),
            Outcome.FAILED,
            "ended with code 127: env: 'ruby': No such file",
        ),
        (
            Answer(137, b"starting\nKilled\n", b""),
            Outcome.FAILED,
            "the run ended with exit code 137 and no report: Killed",
        ),
        (
            answer(ends='{"client": "cut off'),
            Outcome.FAILED,
            'the run ended with exit code 0 and no report: {"client": "cut off',
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_an_answer_counts_as_what_it_tells(given: Answer, outcome: Outcome, cause: str) -> None:
    result = result_of(TASK, given, How())
    assert (result.outcome, result.cause) == (outcome, cause)


def test_a_failure_names_the_line_of_the_recipe() -> None:
    result = result_of(TASK, answer(1, ends=as_report(failed=FAILED)), How())
    assert result.where == "chef/cookbooks/base/recipes/time.rb:12"


def test_why_run_answers_for_no_unit() -> None:
    given = answer(ends=as_report(updated=[UPDATE]), now="chrony.service")
    assert result_of(TASK, given, How(why_run=True)).outcome is Outcome.CHANGED


def test_the_report_is_read_with_the_place_of_each_change() -> None:
    found = told(answer(ends=as_report(updated=[UPDATE])).complaint)
    assert found is not None
    assert found.report is not None
    assert (found.report.client, found.report.resources) == ("Cinc 18.5", 40)
    (update,) = found.report.updates
    where = "cookbooks/base/recipes/banner.rb:3"
    assert update == Update("file[/etc/motd]", "create", where, "-old\n+new")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"client": 1}', as_report(updated=[{}]), "\0"])
def test_what_is_no_report_is_none(text: str) -> None:
    assert report(text) is None


@pytest.mark.parametrize(
    ("text", "before", "ailing"),
    [
        ("system: running\ntroubled now: \n", "", ""),
        ("system: degraded\ntroubled now: a.service\n", "a.service", ""),
        (
            "system: degraded\ntroubled now: a.service b.service\n",
            "a.service",
            "b.service is failed or restarting",
        ),
        ("system: maintenance\ntroubled now: \n", "", "systemd says maintenance"),
        ("system: starting\ntroubled now: \n", "", "systemd says starting"),
        ("", "", "systemd says unknown"),
    ],
)
def test_a_host_is_ill_of_what_has_come_over_it_since(text: str, before: str, ailing: str) -> None:
    assert ailments(text, frozenset(before.split())) == ailing
