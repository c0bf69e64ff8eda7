"""What each host is to become, who is left out, and whose turn comes last."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from orchestrate.aws.groups import Group, Member
from orchestrate.aws.instances import Instance
from orchestrate.chef.check import refuse_broken
from orchestrate.converge import compare, is_current, prepare
from orchestrate.errors import InvalidInput, OrchestrateError
from orchestrate.fleet.models import Fleet
from orchestrate.hosts.converge import Task
from orchestrate.hosts.failures import HostKeyChanged, Unreachable
from orchestrate.hosts.inventory import Host, hosts
from orchestrate.hosts.results import Outcome
from orchestrate.hosts.ssh import Connections
from orchestrate.hosts.standing import Converged, parse
from tests.unit.hosts import conftest as shared

bastion, fleet, instance = shared.bastion, shared.fleet, shared.instance

ROLES = ("bastion", "cpu-worker")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A chef folder with one cookbook that two roles run."""
    chef = tmp_path / "chef"
    (chef / "cookbooks" / "base" / "recipes").mkdir(parents=True)
    (chef / "cookbooks" / "base" / "metadata.rb").write_text("name 'base'\n")
    (chef / "cookbooks" / "base" / "recipes" / "default.rb").write_text("file '/etc/motd'\n")
    for folder in ("roles", "client", "stand-in"):
        (chef / folder).mkdir()
    (chef / "client" / "converge.sh").write_text("exit 0\n")
    (chef / "stand-in" / "stand-in").write_text("exit 0\n")
    for role in ROLES:
        content = {"name": role, "run_list": ["recipe[base]"]}
        (chef / "roles" / f"{role}.json").write_text(json.dumps(content))
    return tmp_path


@pytest.fixture
def known(
    fleet: Fleet,
    instance: Callable[..., Instance],
    bastion: Instance,
) -> list[Host]:
    worker, leaving = instance("i-00000000000abcdef"), instance("i-000000000009f1a2b")
    group = Group("g", "us-west-2", 0, 9, 1, (Member(leaving.id, "Terminating:Wait"),), {})
    found = hosts(fleet, [bastion, worker, leaving], [group])
    return [host for host in found if host.instance_id]


def tasks_by_name(root: Path, of: Fleet, found: list[Host], **given: bool) -> dict[str, Task]:
    prepared = prepare(root, of, found, stand_in=given.get("stand_in", False))
    return {task.host.name: task for task in prepared.tasks}


def test_a_host_is_told_who_it_is_and_its_role_s_cookbooks(
    repository: Path, fleet: Fleet, known: list[Host]
) -> None:
    task = tasks_by_name(repository, fleet, known)["cpu-abcdef.cluster-us-west"]
    told = json.loads(task.node)
    assert told["run_list"] == ["role[cpu-worker]"]
    assert told["orchestrate"]["hostname"] == "cpu-abcdef.cluster-us-west"
    assert told["orchestrate"]["login"] == "ubuntu"


def test_the_bastion_comes_last_as_all_others_are_reached_through_it(
    repository: Path, fleet: Fleet, known: list[Host]
) -> None:
    assert list(tasks_by_name(repository, fleet, known)) == [
        "cpu-abcdef.cluster-us-west",
        "bastion.cluster-us-west",
    ]


def test_hosts_that_are_on_their_way_out_or_no_more_in_the_fleet_are_left_out(
    repository: Path, fleet: Fleet, known: list[Host]
) -> None:
    worker = next(host for host in known if not host.leaving and host.role == "cpu-worker")
    strange = [
        replace(worker, name="a", state="shutting-down"),
        replace(worker, name="b", place="cluster-gone"),
        replace(worker, name="c", group="gone"),
    ]
    prepared = prepare(repository, fleet, [*known, *strange], stand_in=False)
    assert prepared.skipped == {
        "cpu-9f1a2b.cluster-us-west": "its group is taking it away (Terminating:Wait)",
        "a": "it is shutting-down",
        "b": "the fleet has no cluster-gone any more",
        "c": "cluster-us-west has no node group 'gone' any more",
    }
    assert len(prepared.tasks) == 2


def test_the_stand_in_goes_to_lab_hosts_only(
    repository: Path, fleet: Fleet, known: list[Host]
) -> None:
    name = "cpu-abcdef.cluster-us-west"
    real = tasks_by_name(repository, fleet, known)[name]
    lab = tasks_by_name(repository, fleet, known, stand_in=True)[name]
    assert real.digest != lab.digest


def test_a_role_without_a_role_file_is_refused_before_anything_is_done(
    repository: Path, fleet: Fleet, known: list[Host]
) -> None:
    (repository / "chef" / "roles" / "bastion.json").unlink()
    with pytest.raises(OrchestrateError, match="bastion"):
        prepare(repository, fleet, known, stand_in=False)


def test_cookbooks_that_don_t_parse_are_all_reported_with_their_lines(repository: Path) -> None:
    recipes = repository / "chef" / "cookbooks" / "base" / "recipes"
    (recipes / "default.rb").write_text("file '/etc/motd' do\n")
    (recipes / "other.rb").write_text("fine = 1\n)\n")
    with pytest.raises(InvalidInput) as error:
        refuse_broken(repository)
    files = {finding.place.file for finding in error.value.findings}
    assert files == {
        "chef/cookbooks/base/recipes/default.rb",
        "chef/cookbooks/base/recipes/other.rb",
    }


TASK = Task(
    Host("h", "c", "r", "g", "z", "i-1", "running", "10.0.0.1", "", "u"), "digest", "{}\n", b""
)
# sha256 of "{}\n"
NODE = "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"


@pytest.mark.parametrize(
    ("found", "current"),
    [
        (Converged("digest", NODE), True),
        (Converged("other", NODE), False),
        (Converged("digest", "other"), False),
        (None, False),
        (Unreachable("away"), False),
    ],
)
def test_a_host_is_current_if_its_last_converge_was_to_this(
    found: Converged | OrchestrateError | None, current: bool
) -> None:
    assert is_current(TASK, found) is current


class Ways:
    """Connections of which each ends in the same error."""

    def __init__(self, error: OrchestrateError) -> None:
        self._error = error

    def run(self, host: Host, command: str) -> None:
        raise self._error


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(Unreachable("away"), Outcome.UNREACHABLE), (HostKeyChanged("other"), Outcome.FAILED)],
)
def test_a_host_that_shows_another_key_has_failed_one_out_of_reach_has_not(
    error: OrchestrateError, outcome: Outcome
) -> None:
    standing = compare(cast(Connections, Ways(error)), [TASK], 1)
    assert [one.outcome for one in standing.unasked] == [outcome]
    assert not standing.current and not standing.outdated


@pytest.mark.parametrize("text", ["", "{", "[]", '{"archive": "a"}', "cat: No such file"])
def test_what_is_no_record_of_a_converge_counts_as_none(text: str) -> None:
    assert parse(text) is None
