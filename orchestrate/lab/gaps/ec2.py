"""EC2 instances: everything a launch template says, and nothing left behind at the end."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models.instances import Instance, InstanceBackend
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.utils import convert_tag_spec

from orchestrate.lab.gaps import adds, amends
from orchestrate.lab.gaps.baked_images import launchable, layers_of

IMAGE_GB = 8  # what the vendors' images are, and a root volume of no other size
TOKENS_ONLY = {"HttpTokens": "required", "HttpPutResponseHopLimit": 2}
PROFILE = {"iam_instance_profile_name": "Name", "iam_instance_profile_arn": "Arn"}


@amends(InstanceBackend, "run_instances")
def run_instances(
    original: Callable[..., Any], backend: Any, image_id: str, *args: Any, **options: Any
) -> Any:
    """A launch template gives every parameter that the call leaves out, not only a few of them.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html (LaunchTemplate).
    `aws_instance` with `launch_template`, and every instance of an `aws_autoscaling_group`:
    `metadata_options`, `iam_instance_profile`, `monitoring`, `network_interfaces`,
    `block_device_mappings`, `tag_specifications` of volumes, `instance_market_options`.
    """
    template = _template(backend, options)
    for option, value in from_template(template).items():
        options[option] = options.get(option) or value
    # What the vendors' images ask for (`imds-support` v2.0) where nobody says otherwise.
    options["metadata_options"] = {**TOKENS_ONLY, **(options.get("metadata_options") or {})}
    options["tags"] = _with_volume_tags(options.get("tags") or {}, template)
    image = launchable(backend, image_id or template.get("ImageId", ""))
    root = image.root_device_name if image else "/dev/sda1"
    options["block_device_mappings"] = block_devices(
        options.get("block_device_mappings") or template.get("BlockDeviceMappings") or [], root
    )
    reservation = original(backend, image_id, *args, **options)
    _give_profile(backend, reservation.instances, options, template)
    for instance in reservation.instances:
        instance.lab_layers = layers_of(image)
    return reservation


def _template(backend: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    if not options.get("launch_template"):
        return {}
    data: dict[str, Any] = backend._get_template_from_args(options["launch_template"]).data
    return data


def from_template(template: Mapping[str, Any]) -> dict[str, Any]:
    """A launch template's data as moto's options of `run_instances`. Pure."""
    monitored = str(template.get("Monitoring", {}).get("Enabled", "")).lower() == "true"
    found = {
        "metadata_options": template.get("MetadataOptions"),
        "monitoring_state": "enabled" if monitored else None,
        "ebs_optimized": template.get("EbsOptimized"),
        "instance_market_options": template.get("InstanceMarketOptions", {}).get("MarketType"),
        "nics": template.get("NetworkInterfaces"),
        "instance_initiated_shutdown_behavior": template.get("InstanceInitiatedShutdownBehavior"),
    }
    return {option: value for option, value in found.items() if value}


def block_devices(mappings: Sequence[Mapping[str, Any]], root: str) -> list[dict[str, Any]]:
    """The volumes an instance starts with: those asked for, and always a root volume. Pure.

    The root volume goes with the instance unless it was said otherwise:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/preserving-volumes-on-termination.html
    """
    volumes = [dict(mapping) for mapping in mappings if "Ebs" in mapping]
    if root not in {volume["DeviceName"] for volume in volumes}:
        volumes.insert(0, {"DeviceName": root, "Ebs": {}})
    defaults = {"DeleteOnTermination": True, "VolumeSize": IMAGE_GB, "VolumeType": "gp3"}
    return [
        {**volume, "Ebs": {**(defaults if volume["DeviceName"] == root else {}), **volume["Ebs"]}}
        for volume in volumes
    ]


def _with_volume_tags(tags: Mapping[str, Any], template: Mapping[str, Any]) -> dict[str, Any]:
    given = convert_tag_spec(template.get("TagSpecifications", [])).get("volume", {})
    return {**tags, "volume": {**given, **tags.get("volume", {})}}


def _give_profile(
    backend: Any, instances: Sequence[Any], options: Mapping[str, Any], template: Mapping[str, Any]
) -> None:
    called = {name: options[name] for name in PROFILE if options.get(name)}
    listed = template.get("IamInstanceProfile", {})
    profile = called or {name: listed[key] for name, key in PROFILE.items() if listed.get(key)}
    # A profile given in the call is tied to the first instance by moto's caller of this.
    for instance in instances[1:] if called else instances:
        if profile:
            backend.associate_iam_instance_profile(instance_id=instance.id, **profile)


@adds(InstanceResponse, "monitor_instances")
def monitor_instances(response: Any) -> ActionResult:
    """Detailed monitoring is switched on. `aws_instance.monitoring`; moto has no such action.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_MonitorInstances.html
    """
    return _monitoring(response, "enabled")


@adds(InstanceResponse, "unmonitor_instances")
def unmonitor_instances(response: Any) -> ActionResult:
    """Detailed monitoring is switched off; see `monitor_instances`."""
    return _monitoring(response, "disabled")


def _monitoring(response: Any, state: str) -> ActionResult:
    named = response._get_param("InstanceIds", [])
    instances = response.ec2_backend.get_multi_instances_by_id(named)
    for instance in instances:
        instance.monitoring_state = state
    return ActionResult(
        {
            "InstanceMonitorings": [
                {"InstanceId": instance.id, "Monitoring": {"State": state}}
                for instance in instances
            ]
        }
    )


@amends(Instance, "prep_nics")
def prep_nics(
    original: Callable[..., Any], instance: Any, nic_spec: Sequence[Any], **options: Any
) -> None:
    """Interfaces made at launch go with their instance, unless it was said otherwise.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceSpecification.html
    (DeleteOnTermination). moto keeps them: `aws_security_group` and `aws_subnet` of a destroyed
    network would still be in use.
    """
    kept = {
        int(nic.get("DeviceIndex", 0))
        for nic in nic_spec
        if nic.get("NetworkInterfaceId") or str(nic.get("DeleteOnTermination")).lower() == "false"
    }
    original(instance, nic_spec, **options)
    for index, interface in instance.nics.items():
        interface.delete_on_termination = index not in kept
