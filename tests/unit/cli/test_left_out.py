"""A host that was named and that nothing is done to: the last table has it, and the exit code."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.cli import reach
from orchestrate.cli.main import main
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.observe import Observed

Told = Callable[..., str]

LEAVING = Host(
    name="cpu-000001.cluster-us-west",
    place="cluster-us-west",
    role="cpu-worker",
    group="cpu",
    zone="us-west-2a",
    instance_id="i-0000000000000001",
    state="running",
    private_ip="10.0.0.4",
    public_ip="",
    user="admin",
    lifecycle="Terminating:Wait",
)
STOPPING = replace(LEAVING, name="cpu-000002.cluster-us-west", lifecycle="", state="stopping")
STRANGER = replace(LEAVING, name="cpu-000003.cluster-gone", place="cluster-gone", lifecycle="")


@pytest.fixture(autouse=True)
def only_such_hosts(on_aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Observed([LEAVING, STOPPING, STRANGER], {})
    monkeypatch.setattr(reach, "look", lambda *_: seen)
    monkeypatch.setattr(reach, "learn_keys", lambda *_: None)


@pytest.fixture
def failing(repository: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    """What a command says that exits with 1."""

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["--root", str(repository), *arguments])
        assert ended.value.code == 1
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("command", ["converge", "verify"])
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([LEAVING.name], "its group is taking it away (Terminating:Wait)"),
        (["cpu.cluster-us-west", STOPPING.name], "it is stopping"),
        (["cluster-gone"], "the fleet has no cluster-gone any more"),
    ],
)
def test_naming_nothing_but_hosts_that_are_left_out_fails_and_says_why(
    failing: Told, command: str, words: list[str], reason: str
) -> None:
    said = failing(command, *words)
    assert any("left out" in line and reason in line for line in said.splitlines())
    assert f"nothing was done for what was named: {', '.join(words)}" in said


@pytest.mark.parametrize("command", [["converge", "--all"], ["converge", "--all", "--why-run"]])
def test_so_does_a_converge_of_all_that_reaches_none(failing: Told, command: list[str]) -> None:
    assert "nothing was done for what was named: *" in failing(*command)


@pytest.mark.parametrize("command", ["converge", "verify"])
def test_a_program_reads_the_same(failing: Told, command: str) -> None:
    told = json.loads(failing(command, "cpu-*", "--json"))
    assert told["undone"] == ["cpu-*"]
    assert set(told["skipped"]) == {LEAVING.name, STOPPING.name, STRANGER.name}
