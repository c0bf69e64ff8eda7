"""EC2 resources found by their id: the tags of one, one instance, some volumes.

The answers are moto's own. It looks through everything that an account has in a region for each,
and tags are asked for with every resource that is shown: thousands of instances took minutes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from moto.ec2.exceptions import InvalidInstanceIdError, InvalidNetworkInterfaceIdError
from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.models.elastic_block_store import EBSBackend
from moto.ec2.models.elastic_network_interfaces import NetworkInterfaceBackend
from moto.ec2.models.instances import InstanceBackend
from moto.ec2.models.tags import TagBackend
from moto.ec2.responses.instances import InstanceResponse

from orchestrate.lab.gaps import amends

PAGE = 1000  # instances that EC2 shows at once where nobody says how many
WILD = frozenset("*?[")


@amends(TaggedEC2Resource, "get_tags")
def get_tags(original: Callable[..., Any], resource: Any) -> list[dict[str, str]]:
    """The tags of one resource: what every Describe call shows, and filters ask for."""
    if not resource.ec2_backend.tags.get(resource.id):
        return []
    tags: list[dict[str, str]] = original(resource)
    return tags


@amends(TagBackend, "describe_tags")
def describe_tags(
    original: Callable[..., Any], backend: Any, filters: Mapping[str, list[str]] | None = None
) -> list[dict[str, str]]:
    """Tags of resources that are named need a look at these only."""
    named = (filters or {}).get("resource-id")
    if named and not any(WILD & set(one) for one in named):
        tags = {one: backend.tags[one] for one in dict.fromkeys(named) if one in backend.tags}
        backend = SimpleNamespace(tags=tags, VALID_TAG_FILTERS=backend.VALID_TAG_FILTERS)
    found: list[dict[str, str]] = original(backend, filters)
    return found


@amends(InstanceBackend, "get_instance")
def get_instance(_original: Callable[..., Any], backend: Any, instance_id: str) -> Any:
    """One instance. Raises InvalidInstanceIdError."""
    found = next((one for one in _instances(backend) if one.id == instance_id), None)
    if found is None:
        raise InvalidInstanceIdError(instance_id)
    return found


@amends(InstanceBackend, "get_instance_by_id")
def get_instance_by_id(_original: Callable[..., Any], backend: Any, instance_id: str) -> Any | None:
    """One instance, or None."""
    return next((one for one in _instances(backend) if one.id == instance_id), None)


def _instances(backend: Any) -> Iterator[Any]:
    # The newest first: what is asked for by id was mostly just launched.
    for reservation in reversed(backend.reservations.values()):
        yield from reservation.instances


@amends(EBSBackend, "describe_volumes")
def describe_volumes(
    original: Callable[..., Any],
    backend: Any,
    volume_ids: Sequence[str] | None = None,
    filters: Any = None,
) -> list[Any]:
    """Volumes that are named."""
    if volume_ids and all(one in backend.volumes for one in volume_ids):
        named = {one: backend.volumes[one] for one in dict.fromkeys(volume_ids)}
        backend = SimpleNamespace(volumes=named)
    found: list[Any] = original(backend, volume_ids, filters)
    return found


@amends(NetworkInterfaceBackend, "get_network_interface")
def get_network_interface(_original: Callable[..., Any], backend: Any, eni_id: str) -> Any:
    """One network interface. Raises InvalidNetworkInterfaceIdError."""
    if eni_id not in backend.enis:
        raise InvalidNetworkInterfaceIdError(eni_id)
    return backend.enis[eni_id]


@amends(InstanceResponse, "describe_instances")
def describe_instances(original: Callable[..., Any], response: Any) -> Any:
    """A thousand instances at once where a call doesn't say how many.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html#api-pagination.
    moto's hundred make twenty calls, each reading everything, of listing a large account.
    """
    named = response._get_param("InstanceIds", [])
    if not named and response._get_param("MaxResults") is None:
        response.params["MaxResults"] = PAGE
    return original(response)
