"""Instances that end without a call: what becomes of them in the API."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import moto
import pytest

from orchestrate.errors import LabError
from orchestrate.lab import shutdowns
from orchestrate.lab.identities import find_instance

REGION = "us-west-2"


@pytest.fixture
def ec2(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # two seconds of reading
    with moto.mock_aws():
        yield boto3.client(
            "ec2", region_name=REGION, aws_access_key_id="a", aws_secret_access_key="b"
        )
        shutdowns._interrupted.clear()


def launch(ec2: Any, **options: Any) -> str:
    made = ec2.run_instances(ImageId="ami-12345678", MinCount=1, MaxCount=1, **options)
    return str(made["Instances"][0]["InstanceId"])


def told(ec2: Any, instance_id: str) -> tuple[str, str]:
    found = ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"][0]
    return found["State"]["Name"], found["StateReason"].get("Code", "")


@pytest.mark.parametrize(("behavior", "state"), [("stop", "stopped"), ("terminate", "terminated")])
def test_powering_off_does_what_the_instance_was_launched_with(
    ec2: Any, behavior: str, state: str
) -> None:
    instance = launch(ec2, InstanceInitiatedShutdownBehavior=behavior)
    shutdowns.from_inside(REGION, instance)
    assert told(ec2, instance) == (state, "Client.InstanceInitiatedShutdown")


def test_an_instance_that_stops_anyway_keeps_its_reason(ec2: Any) -> None:
    instance = launch(ec2)
    ec2.stop_instances(InstanceIds=[instance])
    shutdowns.from_inside(REGION, instance)
    assert told(ec2, instance) == ("stopped", "Client.UserInitiatedShutdown")


def test_a_spot_instance_goes_when_its_notice_is_over_and_not_before(ec2: Any) -> None:
    instance = launch(ec2, InstanceMarketOptions={"MarketType": "spot"})
    shutdowns.interrupt(REGION, instance)
    model = find_instance(REGION, instance)
    assert model is not None
    end: datetime = model.lab_interrupted_at

    assert shutdowns.end_interrupted(end - timedelta(seconds=1)) == []
    assert shutdowns.end_interrupted(end) == [instance]
    assert shutdowns.end_interrupted(end) == []

    assert told(ec2, instance) == ("terminated", "Server.SpotInstanceTermination")


def test_one_terminated_during_its_notice_is_left_alone(ec2: Any) -> None:
    instance = launch(ec2, InstanceMarketOptions={"MarketType": "spot"})
    shutdowns.interrupt(REGION, instance)
    ec2.terminate_instances(InstanceIds=[instance])
    assert shutdowns.end_interrupted(datetime.now(UTC) + timedelta(hours=1)) == []


def test_on_demand_instances_are_not_interrupted(ec2: Any) -> None:
    with pytest.raises(LabError, match="not a spot instance"):
        shutdowns.interrupt(REGION, launch(ec2))
