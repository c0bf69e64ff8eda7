"""Instances that end otherwise than by an API call: from inside, or because spot took them back.

Call with the API's lock held. Changes moto's models as the call would that has the same effect.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from moto.autoscaling.models import autoscaling_backends
from moto.ec2.models.instances import StateReason

from orchestrate.errors import LabError
from orchestrate.lab.identities import find_instance

FROM_INSIDE = "Client.InstanceInitiatedShutdown"
BY_SPOT = "Server.SpotInstanceTermination"
NOTICE = timedelta(minutes=2)

_interrupted: list[Any] = []  # those that still run


def from_inside(region: str, instance_id: str) -> None:
    """The operating system powered off: the instance stops, or goes if it was launched so.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_ChangingInstanceInitiatedShutdownBehavior.html
    """
    instance = find_instance(region, instance_id)
    if instance is None or instance.state != "running":
        return
    if instance.instance_initiated_shutdown_behavior == "terminate":
        _terminate(instance)
    else:
        instance.stop()
    _give_reason(instance, FROM_INSIDE, "Instance initiated shutdown")


def running_spot(region: str, instance_id: str) -> Any:
    """A spot instance that runs. Raises LabError for anything else."""
    instance = find_instance(region, instance_id)
    if instance is None or instance.state != "running":
        raise LabError(f"{instance_id} does not run in {region}")
    if instance.lifecycle != "spot":
        raise LabError(f"{instance_id} is not a spot instance: only those are interrupted")
    return instance


def interrupt(region: str, instance_id: str, notice: timedelta = NOTICE) -> None:
    """Tell a spot instance that it goes after `notice`; `end_interrupted` then takes it.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html.
    Raises LabError for what is no running spot instance.
    """
    instance = running_spot(region, instance_id)
    if instance not in _interrupted:
        instance.lab_interrupted_at = datetime.now(UTC) + notice
        _interrupted.append(instance)


def end_interrupted(now: datetime) -> list[str]:
    """Terminate the spot instances whose time is up; their ids."""
    due = [instance for instance in _interrupted if instance.lab_interrupted_at <= now]
    ended = [instance for instance in due if instance.state != "terminated"]
    for instance in due:
        _interrupted.remove(instance)
    for instance in ended:
        _terminate(instance)
        _give_reason(instance, BY_SPOT, "Spot instance termination")
    return [instance.id for instance in ended]


def _terminate(instance: Any) -> None:
    """With all that follows: a group launches another. Termination protection is for calls only."""
    backend = instance.ec2_backend
    instance.terminate()
    groups: Any = autoscaling_backends[backend.account_id][backend.region_name]
    groups.notify_terminate_instances([instance.id])


def _give_reason(instance: Any, code: str, words: str) -> None:
    instance.state_reason = StateReason(f"{code}: {words}", code)
