"""Bars in a terminal: nothing of use is cut, also at 80 columns."""

from io import StringIO

import pytest
from rich.console import Console

from orchestrate.cli.host_progress import LiveLines
from orchestrate.cli.progress import LiveBars
from orchestrate.cli.verify_progress import LiveBar
from orchestrate.terraform.events import ResourceStarted

ADDRESS = 'module.storage.module.buckets["x.y"].aws_s3_bucket.this["results"]'


def terminal(width: int) -> Console:
    return Console(width=width, file=StringIO(), force_terminal=True, color_system=None)


def lines(console: Console, shown: LiveBars | LiveLines | LiveBar) -> list[str]:
    with console.capture() as capture:
        console.print(shown._bars.get_renderable())
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_stack_at_work_shows_its_name_count_time_and_resource(width: int) -> None:
    console = terminal(width)
    shown = LiveBars(console)
    shown.started("cluster-us-west", "applying", 146)
    shown.event("cluster-us-west", ResourceStarted(ADDRESS, "aws_s3_bucket", "create"))
    (line,) = lines(console, shown)
    assert line.startswith("cluster-us-west applying")
    assert "0/146 0:00:00" in line
    assert "creating aws_s3_bucke" in line
    assert len(line) <= width


@pytest.mark.parametrize("width", [80, 160])
def test_a_host_at_work_shows_what_it_does_and_says(width: int) -> None:
    console = terminal(width)
    shown = LiveLines(3, console)
    shown.doing("cpu-9f1a2b.cluster-us-west", "converging")
    shown.said("cpu-9f1a2b.cluster-us-west", "package[vim] [1/2] is installed")
    _, line = lines(console, shown)
    assert line.startswith("cpu-9f1a2b.cluster-us-west converging")
    assert "package[vim] [1/2]" in line


def test_hosts_being_verified_are_named() -> None:
    console = terminal(80)
    shown = LiveBar(12, console)
    shown.started("cpu-9f1a2b.cluster-us-west", 40)
    (line,) = lines(console, shown)
    assert "0/12 0:00:00 0 tests; at cpu-9f1a2b.cluster-us-west" in line
