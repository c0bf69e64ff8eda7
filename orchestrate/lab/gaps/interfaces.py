"""EC2 network interfaces: an instance's groups and source check are its primary interface's.

moto keeps both twice, and a call changes the one or the other. Hosts are real: which groups let
packets in must have one answer.
"""

from collections.abc import Callable, Sequence
from typing import Any

from moto.ec2.exceptions import InvalidSecurityGroupNotFoundError
from moto.ec2.models.elastic_network_interfaces import NetworkInterfaceBackend
from moto.ec2.models.instances import InstanceBackend

from orchestrate.lab.gaps import amends


@amends(NetworkInterfaceBackend, "modify_network_interface_attribute")
def modify_network_interface_attribute(
    original: Callable[..., Any],
    backend: Any,
    eni_id: str,
    group_ids: Sequence[str],
    source_dest_check: Any = None,
    description: str | None = None,
) -> None:
    """What is changed of a primary interface is changed of its instance.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyNetworkInterfaceAttribute.html
    `aws_instance.vpc_security_group_ids` and `source_dest_check`, both changed in place.
    """
    _must_exist(backend, group_ids)
    original(backend, eni_id, group_ids, source_dest_check, description)
    interface = backend.get_network_interface(eni_id)
    instance = interface.instance
    primary = instance is not None and instance.nics.get(0) is interface
    if source_dest_check is not None:
        interface.source_dest_check = _truth(source_dest_check)
        if primary:
            instance.source_dest_check = interface.source_dest_check
    if group_ids and primary:
        instance.security_groups = list(interface._group_set)


@amends(InstanceBackend, "modify_instance_attribute")
def modify_instance_attribute(
    original: Callable[..., Any], backend: Any, instance_id: str, key: str, value: Any
) -> Any:
    """An instance's source check is its primary interface's, and a truth value.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyInstanceAttribute.html
    """
    check = key == "source_dest_check"
    instance = original(backend, instance_id, key, _truth(value) if check else value)
    if check:
        backend.get_instance(instance_id).nics[0].source_dest_check = _truth(value)
    return instance


@amends(InstanceBackend, "modify_instance_security_groups")
def modify_instance_security_groups(
    original: Callable[..., Any], backend: Any, instance_id: str, groups: Sequence[str]
) -> Any:
    """An instance's groups are its primary interface's, not some more, and must exist."""
    _must_exist(backend, groups)
    instance = original(backend, instance_id, groups)
    instance.nics[0]._group_set = list(instance.security_groups)
    return instance


def _must_exist(backend: Any, groups: Sequence[str]) -> None:
    for group_id in groups:
        if backend.get_security_group_from_id(group_id) is None:
            raise InvalidSecurityGroupNotFoundError(group_id)


def _truth(value: Any) -> bool:
    return str(value).lower() == "true"
