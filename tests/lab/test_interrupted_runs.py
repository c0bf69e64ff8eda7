"""Ctrl-C at several moments of an apply, and going on after each, end to end; in this file's order.

What Terraform was making is tainted within a second of the interrupt. None of it may be made anew,
and nothing of what is half made counts as data.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import started
from tests.lab.machines import until
from tests.lab.test_killed_runs import SMALL
from tests.lab.test_under_fire import CLUSTER, Checkout

pytestmark = pytest.mark.lab
STORAGE = "storage: {filesystems: {home: {}}, buckets: {results: {}}}\n"
# What is being made when Ctrl-C comes: anything, and then what waits for what the last one made.
MOMENTS = ("aws_", "aws_subnet", "aws_instance", "aws_eip_association")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """A repository of one small cluster with a zone, a bucket and a file system, not applied."""
    root = tmp_path_factory.mktemp("checkout")
    for lab in started(tmp_path_factory.mktemp("lab-interrupted"), "--no-hosts"):
        made = Checkout(root, lab)
        assert made.orchestrate("init").code == 0
        text = SMALL.format(name=CLUSTER, region="us-west-2") + STORAGE
        (root / "fleet" / "clusters" / f"{CLUSTER}.yaml").write_text(text)
        assert made.orchestrate("bootstrap").code == 0
        assert made.orchestrate("apply", "global", "--yes").code == 0
        yield made


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_ends_an_apply_in_order_and_the_next_is_not_refused(
    checkout: Checkout, moment: str
) -> None:
    code, said = interrupted(checkout, moment)
    assert code == 130, said
    assert "to do what is left: orchestrate apply" in said
    (cluster,) = [one for one in status(checkout) if one["stack"] == CLUSTER]
    assert cluster["lock"] is None
    assert cluster["standing"] == "incomplete"
    assert "was interrupted" in cluster["problem"]


def test_what_is_left_is_done_at_last_and_nothing_was_made_anew(checkout: Checkout) -> None:
    done = checkout.orchestrate("apply", "--resume", "--yes", "--json")
    assert done.code == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert not [one for one in told["plans"][CLUSTER]["changes"] if one["action"] == "replace"]
    assert {one["standing"] for one in status(checkout) if one["stack"] == CLUSTER} == {"applied"}
    for log in (checkout.root / ".orchestrate" / "runs").glob(f"*/logs/{CLUSTER}.log"):
        assert ": delete ..." not in log.read_text()
    assert checkout.orchestrate("plan", CLUSTER).code == 0, "nothing is left to do"


def status(checkout: Checkout) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(checkout.orchestrate("status", "--json").stdout)
    return found


def interrupted(checkout: Checkout, moment: str) -> tuple[int, str]:
    """Apply, and press Ctrl-C once a resource of this type is being made; code and all it said."""
    before = set(logs(checkout))
    said = checkout.root / "interrupted.txt"
    with said.open("w") as output:
        process = subprocess.Popen(
            checkout.argv("apply", CLUSTER, "--yes"),
            cwd=checkout.root,
            env=checkout.environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )

    def reached() -> bool:
        fresh = set(logs(checkout)) - before
        begun = [line for log in fresh for line in log.read_text().splitlines() if moment in line]
        return any(line.endswith(": create ...") for line in begun)

    try:
        until(lambda: reached() or process.poll() is not None, 240)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=120)
    return process.returncode, said.read_text()


def logs(checkout: Checkout) -> list[Path]:
    return sorted((checkout.root / ".orchestrate" / "runs").glob(f"*/logs/{CLUSTER}.log"))
