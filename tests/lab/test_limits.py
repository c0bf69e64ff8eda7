"""A lab of more instances than hosts."""

import json
import time
from collections.abc import Callable, Mapping

import pytest

from orchestrate.lab.hosts import missing
from tests.lab.cloud import build
from tests.lab.conftest import Account, LabFolder

pytestmark = pytest.mark.hosts
NUMBER = "400000000001"


def test_instances_beyond_the_limit_stay_in_the_api_until_a_host_goes(
    empty_folder: LabFolder,
) -> None:
    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    empty_folder.up("--max-hosts", "1")
    cloud = build(Account(NUMBER, empty_folder))
    first, second = (cloud.run()["InstanceId"] for _ in range(2))

    until(lambda: hosts(empty_folder) == {first: "running", second: ""})
    told = empty_folder.orchestrate("status").stdout
    assert "at most 1; 1 more in the API only" in told

    cloud.ec2.terminate_instances(InstanceIds=[first])
    until(lambda: hosts(empty_folder) == {second: "running"})


def hosts(lab: LabFolder) -> Mapping[str, str]:
    status = json.loads(lab.orchestrate("status", "--json").stdout)
    return {one["instance_id"]: one["host"] for one in status["instances"]}


def until(happened: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.2)
