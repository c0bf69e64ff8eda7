"""Runs that AWS is unkind to, end to end: real Terraform against a lab with faults.

One small fleet, in the order of this file: its first apply meets everything at once.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab.paths import FOLDER_VARIABLE
from tests.lab.conftest import ROOT, LabFolder, started
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.lab
CLUSTER = "cluster-us-west"
SECRET = "wJalrXUtnFEMI-a-secret-nobody-may-read"


class Checkout:
    """A small fleet in a folder of its own, and a lab where faults hurt nobody else."""

    def __init__(self, root: Path, lab: LabFolder) -> None:
        self.root, self.lab = root, lab

    @property
    def environment(self) -> dict[str, str]:
        own = {FOLDER_VARIABLE: str(self.lab.files.folder), "PYTHONPATH": str(ROOT)}
        return {**os.environ, **own, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": SECRET}

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "orchestrate", *arguments]

    def orchestrate(self, *arguments: str) -> shell.Finished:
        argv = self.argv(*arguments)
        return shell.run(
            argv, cwd=self.root, env=self.environment, timeout_s=PATIENCE_S, check=False
        )

    def fault(self, *order: str) -> None:
        done = self.lab.orchestrate("fault", "add", *order)
        assert done.code == 0, done.stderr

    def struck(self) -> int:
        listed = json.loads(self.lab.orchestrate("fault", "list", "--json").stdout)
        return sum(one["struck"] for one in listed)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    root = tmp_path_factory.mktemp("checkout")
    for lab in started(tmp_path_factory.mktemp("lab-under-fire"), "--no-hosts"):
        checkout = Checkout(root, lab)
        assert checkout.orchestrate("init").code == 0
        assert checkout.orchestrate("bootstrap").code == 0
        yield checkout


def test_s10_an_apply_rides_out_throttling_503s_and_dropped_connections(
    checkout: Checkout,
) -> None:
    # Enough to strike every phase, few enough that back-offs do not add up to minutes.
    checkout.fault("unavailable", "--rate", "0.08", "--seed", "1", "--count", "20")
    checkout.fault("throttle", "--rate", "0.06", "--seed", "2", "--count", "10")
    checkout.fault("drop", "--rate", "0.04", "--seed", "3", "--for", "600")

    done = checkout.orchestrate("apply", "--all", "--yes")

    assert done.code == 0, done.stdout + done.stderr
    assert checkout.struck() > 0, "a fault without a count stays listed"
    checkout.lab.orchestrate("fault", "clear")
    assert checkout.orchestrate("plan", "--all").code == 0
    locks = [each["lock"] for each in json.loads(checkout.orchestrate("status", "--json").stdout)]
    assert not any(locks)


def test_s10_a_plan_outlasts_twenty_seconds_in_which_nothing_answers(checkout: Checkout) -> None:
    checkout.fault("unavailable", "--for", "20")

    assert checkout.orchestrate("plan", "--all").code == 0


def test_s9_no_secret_is_in_any_output_or_file(checkout: Checkout) -> None:
    """Neither what is in the caller's environment nor the lab's own credentials."""
    account = json.loads(checkout.orchestrate("bootstrap", "--json").stdout)["account"]
    own = checkout.lab.secret
    secrets = [SECRET, own.access_key(account), own.token, own.seed.hex()]

    shown = checkout.orchestrate("plan", CLUSTER, "--json")

    files = [path for path in checkout.root.rglob("*") if path.is_file()]
    assert any(path.name == "journal.jsonl" for path in files)
    for secret in secrets:
        assert secret not in shown.stdout + shown.stderr
        assert [path for path in files if secret.encode() in path.read_bytes()] == []
        assert secret not in checkout.lab.files.log.read_text()
