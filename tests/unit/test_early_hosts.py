"""When hosts may come up while stacks are still being applied, and who is told what."""

import pytest

from orchestrate.changes import Action, Change
from orchestrate.cli.progress import Silent
from orchestrate.early_hosts import Relay, worth_while
from orchestrate.terraform.events import ResourceDone
from orchestrate.terraform.plan import StackPlan

RULES, GROUP = "aws_s3_bucket_lifecycle_configuration.this", "aws_autoscaling_group.this"


def plan(stack: str, *addresses: str, action: Action = Action.ADD) -> StackPlan:
    changes = (Change(stack, one, one.partition(".")[0], action) for one in addresses)
    return StackPlan(stack, tuple(changes), empty=not addresses)


def relay(*plans: StackPlan) -> Relay:
    return Relay({one.stack: one for one in plans})


def finish(heard: Relay, stack: str, *addresses: str) -> None:
    for address in addresses:
        heard.event(stack, ResourceDone(address, "create", 1))


class Screen(Silent):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def started(self, stack: str, doing: str, total: int | None) -> None:
        self.told.append((stack, doing, total))

    def ended(self, stack: str, outcome: str) -> None:
        self.told.append((stack, outcome))


@pytest.mark.parametrize(
    ("addresses", "worth"), [((), False), ((GROUP,), False), ((GROUP, RULES), True)]
)
def test_only_a_plan_with_bucket_rules_comes_to_wait(
    addresses: tuple[str, ...], worth: bool
) -> None:
    assert worth_while({"west": plan("west", *addresses)}) is worth


def test_hosts_come_once_nothing_but_bucket_rules_is_left() -> None:
    heard = relay(plan("west", GROUP, RULES))
    assert not heard.hosts_may_come()
    heard.started("west", "applying", 2)
    assert not heard.hosts_may_come()
    finish(heard, "west", "data.aws_iam_policy_document.this", GROUP)
    assert heard.hosts_may_come()
    assert heard.moved.is_set()
    assert heard.waits_for() == {"west": 1}


def test_a_replacement_is_done_when_the_old_one_is_gone_too() -> None:
    replaced = plan("west", GROUP, action=Action.REPLACE)
    rules = plan("west", RULES)
    heard = relay(StackPlan("west", (*replaced.changes, *rules.changes), empty=False))
    heard.started("west", "applying", 2)
    finish(heard, "west", GROUP)
    assert not heard.hosts_may_come()
    finish(heard, "west", GROUP)
    assert heard.hosts_may_come()


def test_hosts_wait_for_the_slowest_stack() -> None:
    heard = relay(plan("global", GROUP), plan("west", RULES), plan("east"))
    heard.started("west", "applying", 1)
    heard.ended("east", "applied")
    assert not heard.hosts_may_come()
    heard.started("global", "applying", 1)
    finish(heard, "global", GROUP)
    heard.ended("global", "applied")
    assert heard.hosts_may_come()


@pytest.mark.parametrize("outcome", ["failed", "interrupted", "skipped, because global failed"])
def test_no_host_comes_early_where_a_stack_did_not_end_well(outcome: str) -> None:
    heard = relay(plan("global", GROUP), plan("west", RULES))
    heard.started("west", "applying", 1)
    heard.ended("global", outcome)
    assert not heard.hosts_may_come()


def test_nothing_is_early_once_all_is_done() -> None:
    heard = relay(plan("west", RULES))
    heard.started("west", "applying", 1)
    heard.moved.clear()
    heard.ended("west", "applied")
    assert not heard.hosts_may_come()
    assert heard.moved.is_set()


def test_who_looks_later_is_told_what_it_missed() -> None:
    heard = relay(plan("west", GROUP, RULES), plan("east", GROUP))
    first, second = Screen(), Screen()
    with heard.shown(first):
        heard.started("west", "applying", 2)
        heard.started("east", "applying", 1)
    finish(heard, "west", GROUP)
    heard.ended("east", "applied")
    with heard.shown(second):
        heard.ended("west", "applied")
    assert first.told == [("west", "applying", 2), ("east", "applying", 1)]
    assert second.told == [("west", "applying", 1), ("east", "applied"), ("west", "applied")]
