"""EC2 instances that are real hosts: what their console says, how they are, and reboots.

Where instances are entries in the API only, moto's answers stand.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from moto.core.responses import ActionResult
from moto.core.types import Base64EncodedString
from moto.ec2.models.instances import Instance, InstanceBackend
from moto.ec2.responses.general import General

from orchestrate.lab.gaps import amends
from orchestrate.lab.spec import HostKeeper, HostState

LONGEST_CONSOLE = 64 * 1024  # characters; as EC2 keeps
RUNNING = 16

_keepers: list[HostKeeper] = []


def use_hosts(keeper: HostKeeper | None) -> None:
    """Ask `keeper` about instances from now on; None where there are no hosts."""
    _keepers[:] = [keeper] if keeper else []


def keeper() -> HostKeeper | None:
    """Who keeps the hosts; None where there are none."""
    return _keepers[0] if _keepers else None


@amends(General, "get_console_output")
def get_console_output(original: Callable[..., Any], response: Any) -> ActionResult:
    """What the host printed since it booted, its SSH host key's fingerprint included.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetConsoleOutput.html
    """
    if not (hosts := keeper()):
        return ActionResult(original(response).result)
    instance = response.ec2_backend.get_instance(response._get_param("InstanceId"))
    text = hosts.console(instance.id)[-LONGEST_CONSOLE:]
    return ActionResult(
        {
            "InstanceId": instance.id,
            "Timestamp": datetime.now(UTC),
            "Output": Base64EncodedString.from_raw_string(text),
        }
    )


@amends(InstanceBackend, "reboot_instances")
def reboot_instances(original: Callable[..., Any], backend: Any, instance_ids: list[str]) -> Any:
    """The host shuts down in order and boots again, with its disk and addresses.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RebootInstances.html
    """
    rebooted = original(backend, instance_ids)
    if hosts := keeper():
        for instance in rebooted:
            hosts.reboot(instance.id)
    return rebooted


@amends(Instance, "instance_status")
def instance_status(original: Callable[..., Any], instance: Any) -> dict[str, Any]:
    """`initializing` until sshd runs, `impaired` when the host failed.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html
    """
    return _status(original, instance)


@amends(Instance, "system_status")
def system_status(original: Callable[..., Any], instance: Any) -> dict[str, Any]:
    """As `instance_status`: here the machine and what runs on it fail together."""
    return _status(original, instance)


def _status(original: Callable[..., Any], instance: Any) -> dict[str, Any]:
    hosts = keeper()
    if hosts is None or instance.state_code != RUNNING:
        found: dict[str, Any] = original(instance)
        return found
    status, check = status_of(hosts.state(instance.id))
    return {"Status": status, "Details": [{"Name": "reachability", "Status": check}]}


def status_of(host: HostState | None) -> tuple[str, str]:
    """A status and its one check, for a host that should run. Pure."""
    if host is not None and host.state == "running":
        return "ok", "passed"
    if host is not None and host.state == "failed":
        return "impaired", "failed"
    return "initializing", "initializing"
