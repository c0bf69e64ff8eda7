"""An apply that loses the answer to everything it makes, end to end: real Terraform, a lab."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from orchestrate.lab.call import Call
from tests.lab.conftest import Account, started
from tests.lab.test_under_fire import Checkout

pytestmark = pytest.mark.lab
LOST = re.compile(r"lab\.api lose (?P<service>\S+) (?P<action>.+?) \S+ \(fault-\d+\)$")
ANSWERED = re.compile(r"lab\.api 2\d\d (?P<service>\S+) (?P<action>.+?) \S+ [\d.]+ ms(?P<rest>.*)$")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    root = tmp_path_factory.mktemp("checkout")
    for lab in started(tmp_path_factory.mktemp("lab-losing-answers"), "--no-hosts"):
        checkout = Checkout(root, lab)
        assert checkout.orchestrate("init").code == 0
        assert checkout.orchestrate("bootstrap").code == 0
        yield checkout


def test_an_apply_that_loses_every_answer_once_ends_as_any_other(checkout: Checkout) -> None:
    before = len(checkout.lab.files.log.read_text())
    checkout.fault("lose")

    done = checkout.orchestrate("apply", "--all", "--yes")

    assert done.code == 0, done.stdout + done.stderr
    lines = checkout.lab.files.log.read_text()[before:].splitlines()
    lost = [found for found in map(LOST.search, lines) if found]
    answered = [found for found in map(ANSWERED.search, lines) if found]
    written = {one["service"] + " " + one["action"] for one in answered if not _reads(one)}
    assert written == {one["service"] + " " + one["action"] for one in lost}
    assert {"ec2 CreateVpc", "ec2 CreateRoute", "iam CreateRole"} <= written
    assert any(one.startswith("s3 PUT") for one in written), "states and locks are writes as well"
    assert len([one for one in answered if "as before" in one["rest"]]) == len(lost)
    told = json.loads(checkout.lab.orchestrate("status", "--json").stdout)["api"]
    assert (told["came_twice"], told["exceptions"]) == (0, 0)

    checkout.lab.orchestrate("fault", "clear")
    assert checkout.orchestrate("plan", "--all").code == 0


def test_what_the_state_does_not_know_is_brought_in_by_the_command_that_is_offered(
    checkout: Checkout,
) -> None:
    assert checkout.orchestrate("apply", "--all", "--yes").code == 0
    _forget(checkout, "aws_iam_role")

    failed = checkout.orchestrate("apply", "--all", "--yes")

    assert failed.code == 1
    said = failed.stdout + failed.stderr
    assert "EntityAlreadyExists" in said
    offered = {line.strip() for line in said.splitlines() if "orchestrate import" in line}
    assert offered, said
    for command in offered:
        _, *words = shlex.split(command)
        brought = checkout.orchestrate(*words)
        assert brought.code == 0, brought.stdout + brought.stderr
    again = checkout.orchestrate("apply", "--all", "--yes")
    assert again.code == 0, again.stdout + again.stderr
    assert checkout.orchestrate("plan", "--all").code == 0


def _forget(checkout: Checkout, kind: str) -> None:
    """Take every resource of a type out of the one state that has some: as if its answer was lost
    to a Terraform that then died."""
    number = str(yaml.safe_load((checkout.root / "fleet" / "fleet.yaml").read_text())["account"])
    s3 = Account(number, checkout.lab).client("s3")
    for bucket in (one["Name"] for one in s3.list_buckets()["Buckets"]):
        for key in (one["Key"] for one in s3.list_objects_v2(Bucket=bucket).get("Contents", [])):
            if key.endswith("tfstate"):
                state = json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
                if _without(state, kind):
                    s3.put_object(Bucket=bucket, Key=key, Body=json.dumps(state))


def _without(state: dict[str, Any], kind: str) -> bool:
    before = state["resources"]
    state["resources"] = [one for one in before if one["type"] != kind or one["mode"] == "data"]
    state["serial"] += 1
    return len(state["resources"]) < len(before)


def _reads(found: re.Match[str]) -> bool:
    return Call("", "", found["service"], found["action"]).reads
