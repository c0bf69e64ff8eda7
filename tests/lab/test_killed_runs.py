"""Runs of several stacks that fail in part or are killed, end to end; in the order of this file.

Two clusters of one fleet, and the mesh that needs both: the second fails, is tried again, and the
run that does so is killed together with its terraform, as by a machine that loses power.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.conftest import started
from tests.lab.machines import until
from tests.lab.test_under_fire import CLUSTER, Checkout

pytestmark = pytest.mark.lab
SECOND = "cluster-eu-west"
SMALL = """\
name: {name}
region: {region}
zones: [{region}a]
network: {{nat: none}}
bastion: {{image: debian-12, allow_ssh_from: [0.0.0.0/0]}}
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """A repository of two small clusters, of which nothing is applied yet."""
    root = tmp_path_factory.mktemp("checkout")
    for lab in started(tmp_path_factory.mktemp("lab-killed-runs"), "--no-hosts"):
        made = Checkout(root, lab)
        assert made.orchestrate("init").code == 0
        for name, region in ((CLUSTER, "us-west-2"), (SECOND, "eu-west-1")):
            file = root / "fleet" / "clusters" / f"{name}.yaml"
            file.write_text(SMALL.format(name=name, region=region))
        done = made.orchestrate("bootstrap")
        assert done.code == 0, done.stderr
        yield made


def test_s6_one_stack_fails_and_the_table_says_why_and_how_to_go_on(checkout: Checkout) -> None:
    checkout.fault("deny", "--service", "ec2", "--action", "CreateVpc", "--region", "eu-west-1")

    done = checkout.orchestrate("apply", "--all", "--yes")

    assert done.code == 1
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert " done " in rows["global"]
    assert " done " in rows[CLUSTER]
    assert " failed " in rows[SECOND]
    assert f"{SECOND} failed" in rows["mesh"], "why it was skipped"
    assert "UnauthorizedOperation" in rows[f"{SECOND}:"], "the cause, in one line"
    assert "VPC" in Path(rows["log:"].split()[1]).read_text()
    assert f"to do what is left: orchestrate apply {SECOND} mesh" in done.stdout


def test_s2_a_run_that_was_killed_is_told_of_unlocked_and_resumed(checkout: Checkout) -> None:
    checkout.lab.orchestrate("fault", "clear")
    # Long enough to be looked at and killed in the middle of it.
    checkout.fault("slow", "--service", "ec2", "--action", "CreateVpc", "--by", "60")
    kill_while_applying(checkout, SECOND)
    checkout.lab.orchestrate("fault", "clear")

    left = checkout.orchestrate("plan", SECOND)
    assert f"was killed while at work on {SECOND}" in left.stderr
    assert f"orchestrate unlock {SECOND}" in left.stdout + left.stderr
    released = checkout.orchestrate("unlock", SECOND, "--yes", "--json")
    assert json.loads(released.stdout)["left_behind"] is True

    done = checkout.orchestrate("apply", "--resume", "--yes", "--json")
    assert done.code == 0, done.stdout + done.stderr
    added = {stack: one["added"] for stack, one in json.loads(done.stdout)["results"].items()}
    assert {stack for stack, number in added.items() if number} == {SECOND, "mesh"}, "none twice"


def kill_while_applying(checkout: Checkout, stack: str) -> None:
    """Resume the last run, and kill it and its terraform once that holds the stack's lock.

    While they live, nothing calls the lock left behind.
    """
    said = checkout.root / "killed.txt"
    with said.open("w") as output:
        process = subprocess.Popen(
            checkout.argv("apply", "--resume", "--yes"),
            cwd=checkout.root,
            env=checkout.environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        until(lambda: applies(checkout, stack) or process.poll() is not None)
        assert process.poll() is None, said.read_text()
        asked = checkout.orchestrate("unlock", stack)
        assert "nothing here proves that its owner is gone" in asked.stdout, asked
        assert asked.code != 0, "nobody said yes"
        terraform = children(process.pid)
        assert terraform, "it ended too early"
    finally:
        for pid in children(process.pid):
            os.killpg(pid, signal.SIGKILL)
        process.kill()
        process.wait()


def applies(checkout: Checkout, stack: str) -> bool:
    """Whether a stack's state is locked for an apply."""
    listed = json.loads(checkout.orchestrate("status", "--json").stdout)
    locks = {one["stack"]: one["lock"] for one in listed}
    return bool(locks[stack]) and locks[stack]["operation"] == "Apply"


def children(pid: int) -> list[int]:
    """The processes that a process has started; each leads a session of its own."""
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in listed for child in file.read_text().split()]
