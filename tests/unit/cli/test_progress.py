"""What an operator without a terminal reads while a run goes on."""

from orchestrate.cli.progress import PlainLines
from orchestrate.terraform.events import ResourceDone, ResourceFailed, ResourceProgress
from orchestrate.terraform.log import human


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_step_is_one_line_with_the_time_since_the_run_began() -> None:
    said: list[str] = []
    clock = Clock()
    lines = PlainLines(said.append, clock)
    lines.started("west", "applying", 2)
    clock.now += 3.5
    lines.event("west", ResourceDone("aws_vpc.this", "create", 3))
    lines.event("west", ResourceFailed("aws_eip.this", "create", 3))
    lines.ended("west", "failed")
    assert said == [
        "[   0.0s] west: applying 2 changes\n",
        "[   3.5s] west: failed: aws_eip.this\n",
        "[   3.5s] west: failed\n",
    ]


def test_what_terraform_gives_up_because_it_was_stopped_has_not_failed() -> None:
    said: list[str] = []
    lines = PlainLines(said.append, Clock())
    lines.started("west", "applying", 2)
    given_up = ResourceFailed("aws_route53_zone.public", "create", 3, given_up=True)
    lines.event("west", given_up)
    assert said[1:] == ["[   0.0s] west: given up: aws_route53_zone.public\n"]
    assert human(given_up) == "aws_route53_zone.public: create given up after 3 s"


def test_a_slow_resource_gives_a_sign_of_life_every_half_minute_and_no_more() -> None:
    said: list[str] = []
    clock = Clock()
    lines = PlainLines(said.append, clock)
    lines.started("west", "applying", 2)
    lines.event("west", ResourceDone("aws_vpc.this", "create", 3))
    for elapsed in (10, 20, 30, 40):
        clock.now += 10
        lines.event("west", ResourceProgress("aws_eip.this", "create", elapsed))
    assert said[1:] == ["[  30.0s] west: 1/2 done, still creating aws_eip.this (30 s)\n"]


def test_a_stack_that_was_never_started_may_end() -> None:
    said: list[str] = []
    PlainLines(said.append, Clock()).ended("mesh", "skipped, because global failed")
    assert said == ["[   0.0s] mesh: skipped, because global failed\n"]
