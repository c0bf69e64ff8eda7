"""How the hosts of an apply ended, as it is printed and as JSON."""

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from orchestrate.brought_up import BroughtUp
from orchestrate.cli import hosts_summary
from orchestrate.findings import Finding, Place
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.results import Outcome, Report, Result, Results, Update
from orchestrate.hosts.strangers import Stranger
from orchestrate.hosts.wait import Waiting
from orchestrate.verify import verdicts
from orchestrate.verify.verdicts import Verdict, Verdicts

LOGS = Path("logs")


def host(name: str) -> Host:
    return Host(name, "west", "cpu-worker", "cpu", "", "i-1", "running", "10.0.0.4", "", "admin")


def changed(name: str, resources: int = 1) -> Result:
    updates = tuple(Update("file[/x]", "create", "") for _ in range(resources))
    return Result(name, Outcome.CHANGED, report=Report("Cinc 18", 40, updates))


def one_test(outcome: verdicts.Outcome) -> verdicts.Case:
    where = "tests/infra/base/test_x.py:3"
    return verdicts.Case("base", "test_mode", outcome, 0.1, where, "644 != 600")


def passed(name: str) -> Verdict:
    return Verdict(name, (one_test(verdicts.Outcome.PASSED),))


WELL = BroughtUp(
    Waiting([host("a.west"), host("b.west")], [], 0),
    current=["a.west"],
    converged=Results((changed("b.west", 3),)),
    verified=Verdicts([passed("a.west"), passed("b.west")], LOGS),
)


def shown(hosts: BroughtUp) -> str:
    out = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    for part in hosts_summary.whole(hosts, LOGS, "lab"):
        out.print(part, soft_wrap=isinstance(part, str))
    return out.export_text()


def test_each_host_says_what_was_done_to_it_and_what_its_tests_say() -> None:
    lines = [line.split() for line in shown(WELL).splitlines()]
    assert ["a.west", "as", "wanted", "passed", "1/1"] in lines
    assert ["b.west", "changed", "3", "passed", "1/1"] in lines
    assert WELL.well


def test_instances_that_were_left_out_are_told_of() -> None:
    finding = Finding(Place("instance i-2 in us-west-2"), "its tag 'role' is '[/]'", "correct it")
    odd = replace(WELL, strangers=[Stranger("i-2", "us-west-2", (finding,))])
    assert "instance i-2 in us-west-2: error: its tag 'role' is '[/]'" in shown(odd)
    assert hosts_summary.as_json(odd, LOGS)["left_out"] == [finding.as_json()]


def test_a_failed_converge_is_shown_with_its_place_and_log() -> None:
    failed = Result("b.west", Outcome.FAILED, "file[/x]: no", "chef/cookbooks/base/recipes/x.rb:3")
    hosts = replace(WELL, converged=Results((failed,)))
    text = shown(hosts)
    assert "b.west: file[/x]: no" in text
    assert "at:   chef/cookbooks/base/recipes/x.rb:3" in text
    assert "log:  logs/b.west.log" in text
    assert not hosts.well


def test_a_failed_test_is_shown_and_makes_the_run_fail() -> None:
    broken = Verdict("a.west", (one_test(verdicts.Outcome.FAILED),))
    hosts = replace(WELL, verified=Verdicts([broken], LOGS))
    text = shown(hosts)
    assert "base: test_mode" in text
    assert "644 != 600" in text
    assert not hosts.well


def test_a_host_that_never_answered_is_a_failure_one_that_was_never_launched_is_not() -> None:
    silent = replace(WELL, waited=Waiting([host("a.west")], [host("c.west")], 0))
    missing = replace(WELL, waited=Waiting([host("a.west")], [], 2))
    assert not silent.well
    assert "1 of 2 hosts answer; waiting for c.west" in shown(silent)
    assert missing.well
    assert "2 not launched yet" in shown(missing)


def test_hosts_that_the_operator_wants_left_alone_are_named_with_what_shows_the_difference() -> (
    None
):
    text = shown(replace(WELL, converged=None, declined=["b.west"]))
    assert "left as it is" in text
    assert "left as they are: b.west; see `orchestrate converge --why-run`" in text


def test_an_interrupt_is_the_last_word() -> None:
    assert "interrupted" in shown(replace(WELL, interrupted=True)).splitlines()[-1]


def test_programs_get_all_of_it() -> None:
    record = hosts_summary.as_json(WELL, LOGS)
    assert record["as_wanted"] == ["a.west"]
    assert record["converged"]["b.west"]["outcome"] == "changed"  # type: ignore[index]
    assert record["verified"]["ok"] is True  # type: ignore[index]
