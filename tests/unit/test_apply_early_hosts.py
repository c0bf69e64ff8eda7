"""Hosts that come up while Terraform waits: the same story, its last part."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from orchestrate import bring_up, clock
from orchestrate.brought_up import BroughtUp, Wanted
from orchestrate.hosts.wait import Waiting
from orchestrate.runs import history
from orchestrate.terraform.roots import Stack
from orchestrate.workplace import Workplace
from tests.unit.stories import Person, Story, outcomes

RULES = ("create", 'aws_s3_bucket_lifecycle_configuration.this["results"]')
GROUP = ("create", "aws_autoscaling_group.this")
CLUSTER = "cluster-us-west"


class Patient(Person):
    """An operator who hears that hosts come up meanwhile."""

    heard: Mapping[str, int] = MappingProxyType({})

    def still_waiting(self, changes: Mapping[str, int]) -> None:
        self.heard = changes


@pytest.fixture
def cluster(story: Story) -> Story:
    """One stack that is a cluster of the fleet, with bucket rules to wait for."""
    stacks = {CLUSTER: Stack(CLUSTER, "us-west-2")}
    told = Story(replace(story.work, stacks=stacks))
    folder = told.work.build / CLUSTER
    folder.mkdir()
    shutil.copy(story.work.build / "west" / "plan.tfplan", folder)
    told.writes(CLUSTER, GROUP, RULES)
    return told


def done(*changes: tuple[str, str]) -> str:
    hooks = [{"resource": {"addr": address}, "action": action} for action, address in changes]
    return "".join(json.dumps({"type": "apply_complete", "hook": hook}) + "\n" for hook in hooks)


def hosts_come(monkeypatch: pytest.MonkeyPatch, does: Callable[[], object]) -> list[frozenset[str]]:
    """Hosts that are well at once, but for what `does`; where they were brought up."""
    asked: list[frozenset[str]] = []

    def play(_work: Workplace, places: frozenset[str], *_: object, **__: object) -> BroughtUp:
        asked.append(places)
        does()
        return BroughtUp(Waiting((), (), 0))

    monkeypatch.setattr(bring_up, "bring_up", play)
    return asked


@pytest.mark.parametrize(("fails", "outcome", "code"), [(False, "done", 0), (True, "failed", 1)])
def test_hosts_come_up_while_terraform_waits_for_bucket_rules(
    cluster: Story, monkeypatch: pytest.MonkeyPatch, fails: bool, outcome: str, code: int
) -> None:
    folder = cluster.work.build / CLUSTER
    cluster.writes(CLUSTER, GROUP, RULES, fails=fails)
    (folder / "apply.jsonl").write_text(done(GROUP))
    (folder / "apply.hold").touch()
    # Terraform ends only once the hosts were brought up.
    asked = hosts_come(monkeypatch, (folder / "apply.hold").unlink)
    person = Patient()

    report = cluster.run(person, hosts=Wanted(clock.now()))

    assert asked == [frozenset({CLUSTER})]
    assert person.heard == {CLUSTER: 1}
    assert outcomes(report) == {CLUSTER: outcome}
    assert report.hosts is not None
    assert report.exit_code == code


def test_hosts_wait_for_all_else(cluster: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cluster.work.build / CLUSTER
    (folder / "apply.jsonl").write_text(done(RULES))
    states: list[object] = []

    def look() -> None:
        last = history.last_run(cluster.work.runs, cluster.work.target)
        states.append(last and last.stacks[CLUSTER].state)

    asked = hosts_come(monkeypatch, look)
    report = cluster.run(Person(), hosts=Wanted(clock.now()))
    assert (asked, states) == ([frozenset({CLUSTER})], ["applied"])
    assert report.exit_code == 0


def test_no_host_comes_up_where_something_else_failed(
    cluster: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.writes(CLUSTER, GROUP, RULES, fails=True)
    asked = hosts_come(monkeypatch, lambda: None)
    report = cluster.run(Person(), hosts=Wanted(clock.now()))
    assert (asked, report.hosts, report.exit_code) == ([], None, 1)


ZONE = ("create", "aws_route53_zone.parent")


def test_a_stack_begins_while_another_only_waits_for_its_zone(story: Story) -> None:
    shared, west = story.work.build / "global", story.work.build / "west"
    story.writes("global", GROUP, ZONE)
    (shared / "apply.jsonl").write_text(done(GROUP))
    (shared / "apply.hold").touch()
    # West's own apply lets the other's end.
    (west / "apply.then").write_text(f"rm {shared / 'apply.hold'}")
    report = story.run(Person(), "west")
    assert not (shared / "apply.hold").exists()
    assert outcomes(report) == {"global": "done", "west": "done"}
    assert report.exit_code == 0
