"""Launches that a fault forbids: no capacity for a type in a zone, a group that cannot launch."""

from collections.abc import Callable, Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.instances import InstanceBackend

from orchestrate.lab.faults.book import book
from orchestrate.lab.faults.models import Launch, LaunchFault
from orchestrate.lab.gaps import amends

GROUP_TAG = "aws:autoscaling:groupName"


class LaunchRefused(EC2ClientError):
    """What EC2 answers; an auto scaling group writes it down as its activity's message.

    AWS counts it among its own errors, HTTP 500, so SDKs try again:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    """

    status = 500


@amends(InstanceBackend, "run_instances")
def run_instances(original: Callable[..., Any], backend: Any, *args: Any, **options: Any) -> Any:
    """A launch that a fault strikes makes nothing at all.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html. Serves
    RunInstances, CreateFleet and every launch of an `aws_autoscaling_group`.
    """
    launch = _launch(backend, options)
    if fault := book.strike_launch(launch):
        raise _refused(fault, launch)
    return original(backend, *args, **options)


def _launch(backend: Any, options: Mapping[str, Any]) -> Launch:
    kind = options.get("instance_type")
    if options.get("launch_template") and options.get("is_instance_type_default", True):
        template = backend._get_template_from_args(options["launch_template"]).data
        kind = template.get("InstanceType") or kind
    tags = (options.get("tags") or {}).get("instance", {})
    return Launch(str(kind or ""), backend.region_name, _zone(backend, options), _group(tags))


def _zone(backend: Any, options: Mapping[str, Any]) -> str:
    interfaces = options.get("nics") or [{}]
    subnet = options.get("subnet_id") or interfaces[0].get("SubnetId")
    return str(backend.get_subnet(subnet).availability_zone if subnet else options.get("placement"))


def _group(tags: Mapping[str, Any]) -> str:
    return str(tags.get(GROUP_TAG, ""))


def _refused(fault: LaunchFault, launch: Launch) -> LaunchRefused:
    if fault.kind == "launch-failure":
        return LaunchRefused("InternalError", f"Launching EC2 instance failed ({fault.name}).")
    return LaunchRefused(
        "InsufficientInstanceCapacity",
        f"We currently do not have sufficient {launch.instance_type} capacity in the Availability "
        f"Zone you requested ({launch.zone}).",
    )


@amends(ActionResult, "execute_result")
def execute_result(original: Callable[..., Any], result: Any, context: Any) -> Any:
    """An error of AWS's own has its own HTTP status; moto gives all of EC2's errors 400."""
    status, headers, body = original(result, context)
    return getattr(result.result, "status", status) if _refusal(result) else status, headers, body


def _refusal(result: Any) -> bool:
    return isinstance(result.result, LaunchRefused)
