"""EC2 images made of instances: their disks are copies of hosts' disks, kept as layers.

An image is `pending` until its layer is whole. What an image, its copies in other regions and
its snapshot stand on is in their `lab_layers`, the top first.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami, AmiBackend
from moto.ec2.models.elastic_block_store import EBSBackend
from moto.ec2.models.instances import StateReason
from moto.ec2.models.tags import TagBackend
from moto.ec2.responses.amis import AmisResponse
from moto.ec2.utils import random_ami_id

from orchestrate.lab.gaps import amends
from orchestrate.lab.gaps.hosts import keeper
from orchestrate.lab.kept_images import KeptImage
from orchestrate.lab.lifecycle import login_user

log = logging.getLogger("lab.images")


def layers_of(thing: Any) -> tuple[str, ...]:
    """The layers of an image, a snapshot or an instance; none on a vendor's image."""
    found: tuple[str, ...] = getattr(thing, "lab_layers", ())
    return found


def layers_in_use() -> set[str]:
    """All that images, snapshots and instances stand on."""
    return {layer for thing in _everything() for layer in layers_of(thing)}


def _everything() -> Iterator[Any]:
    for _, _, backend in list(ec2_backends.iter_backends()):
        held: Any = backend
        yield from held.amis.values()
        yield from held.snapshots.values()
        for reservation in held.reservations.values():
            yield from (one for one in reservation.instances if one.state != "terminated")


@amends(AmisResponse, "create_image")
def create_image_action(original: Callable[..., Any], response: Any) -> ActionResult:
    """The host is shut down for it and boots again, unless `NoReboot` is set.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateImage.html
    """
    result: ActionResult = original(response)
    made: Any = result.result
    image = response.ec2_backend.amis[made["ImageId"]]
    if hosts := keeper():
        reboot = not response._get_bool_param("NoReboot", False)
        hosts.snapshot(image.instance_id, layers_of(image)[0], reboot=reboot)
    return result


@amends(AmiBackend, "create_image")
def create_image(
    original: Callable[..., Any],
    backend: Any,
    instance_id: str,
    name: str,
    description: str,
    tag_specifications: list[dict[str, Any]],
) -> Any:
    """An image has its instance's root device and login, and a snapshot with tags of its own.

    Packer's `amazon-ebs` and `aws_ami_from_instance` (`snapshot` in TagSpecifications); moto
    takes no tags for snapshots.
    """
    own = [one for one in tag_specifications if one["ResourceType"] != "snapshot"]
    image = original(backend, instance_id, name, description, own)
    for one in tag_specifications:
        if one["ResourceType"] == "snapshot":
            image.ebs_snapshot.add_tags({tag["Key"]: tag["Value"] for tag in one["Tags"]})
    instance = image.instance
    image.root_device_name = instance.root_device_name
    image.lab_login = login_user(backend, instance.image_id)
    if keeper():
        _stand_on(image, (image.ebs_snapshot.id, *layers_of(instance)))
        image.lab_original = True
        image.state = image.ebs_snapshot.status = "pending"
    image.root_device_type = "ebs"
    return image


@amends(AmiBackend, "copy_image")
def copy_image(
    original: Callable[..., Any],
    backend: Any,
    source_image_id: str,
    source_region: str,
    *args: Any,
    **options: Any,
) -> Any:
    """A copy in another region starts the same hosts; the original may go before it.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CopyImage.html
    """
    regions: Any = ec2_backends[backend.account_id]
    source = regions[source_region].describe_images(ami_ids=[source_image_id])[0]
    image = original(backend, source_image_id, source_region, *args, **options)
    image.root_device_name, image.root_device_type = source.root_device_name, "ebs"
    image.lab_login = login_user(regions[source_region], source_image_id)
    _stand_on(image, layers_of(source))
    image.state, image.ebs_snapshot.status = source.state, source.ebs_snapshot.status
    return image


@amends(AmisResponse, "copy_image")
def copy_image_action(original: Callable[..., Any], response: Any) -> ActionResult:
    """A copy and its snapshot have their tags from the beginning; moto reads none.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CopyImage.html (TagSpecification)
    """
    result: ActionResult = original(response)
    made: Any = result.result
    image = response.ec2_backend.amis[made["ImageId"]]
    tagged = {"image": image, "snapshot": image.ebs_snapshot}
    for one in response._get_param("TagSpecifications", []):
        tags = {tag["Key"]: tag["Value"] for tag in one["Tags"]}
        tagged[one["ResourceType"]].add_tags(tags)
    return result


def _stand_on(image: Any, layers: tuple[str, ...]) -> None:
    image.lab_layers = image.ebs_snapshot.lab_layers = layers


@amends(AmiBackend, "describe_images")
def describe_images(original: Callable[..., Any], backend: Any, *args: Any, **options: Any) -> Any:
    """A pending image is available, or failed, once the copy of the disk is done."""
    for image in backend.amis.values():
        if image.state == "pending":
            _settle(image)
    return original(backend, *args, **options)


def _settle(image: Any) -> None:
    hosts = keeper()
    state = hosts.layer_state(layers_of(image)[0]) if hosts else "whole"
    if state == "copying":
        return
    done = state == "whole"
    image.state = "available" if done else "failed"
    image.ebs_snapshot.status = "completed" if done else "error"
    if not done:
        code = "Server.InternalError"
        image.state_reason = StateReason(f"{code}: {state}", code)


def launchable(backend: Any, image_id: str) -> Any | None:
    """The image to launch from; None for an id nobody knows. Raises EC2ClientError."""
    image = backend.amis.get(image_id)
    if image is not None and image.state == "pending":
        _settle(image)
    if image is not None and image.state != "available":
        raise EC2ClientError(
            "InvalidAMIID.Unavailable", f"The image '{image_id}' is {image.state}, not available."
        )
    return image


@amends(AmiBackend, "deregister_image")
def deregister_image(original: Callable[..., Any], backend: Any, ami_id: str) -> None:
    """No launch any more; the snapshot stays, and what instances run on."""
    image = backend.amis.get(ami_id)
    original(backend, ami_id)
    if (hosts := keeper()) and is_original(image):
        hosts.forget_image(layers_of(image)[0])
    _prune()


@amends(TagBackend, "create_tags")
def create_tags(
    original: Callable[..., Any], backend: Any, resource_ids: list[str], tags: dict[str, str]
) -> Any:
    """An image that is whole outlives the lab once it is tagged: then people know what it is."""
    done = original(backend, resource_ids, tags)
    if hosts := keeper():
        for image in map(backend.amis.get, resource_ids):
            if is_original(image) and image.state == "available":
                hosts.keep_image(kept(image))
    return done


def is_original(image: Any) -> bool:
    """Whether an image was made of an instance: its copies elsewhere are made anew when needed."""
    return bool(getattr(image, "lab_original", False))


def kept(image: Any) -> KeptImage:
    """All that is needed to offer an image in another lab."""
    layer, *below = layers_of(image)
    return KeptImage(
        layer=layer,
        below=tuple(below),
        account=image.owner_id,
        region=image.ec2_backend.region_name,
        name=image.name,
        description=image.description,
        architecture=image.architecture,
        root_device=image.root_device_name,
        login=image.lab_login,
        created=image.creation_date.isoformat(),
        tags={tag["key"]: tag["value"] for tag in image.get_tags()},
    )


def offer(images: Iterable[KeptImage]) -> None:
    """Have images of earlier labs, each in its account and region under a new id.

    One that this moto takes for none is left out, and logged.
    """
    for one in images:
        try:
            _offer(one)
        except Exception as error:  # moto raises whatever it makes of a region it doesn't know
            log.warning("%s of an earlier lab is left out: %r", one.name, error)


def _offer(one: KeptImage) -> None:
    accounts: Any = ec2_backends
    backend = accounts[one.account][one.region]
    image: Any = Ami(
        backend,
        random_ami_id(),
        name=one.name,
        description=one.description,
        virtualization_type="hvm",
        architecture=one.architecture,
        creation_date=datetime.fromisoformat(one.created),
        hypervisor="xen",
        root_device_type="ebs",
        root_device_name=one.root_device,
        tags=dict(one.tags),
    )
    image.ebs_snapshot.add_tags(dict(one.tags))
    image.lab_login, image.lab_original = one.login, True
    _stand_on(image, (one.layer, *one.below))
    backend.amis[image.id] = image


@amends(EBSBackend, "delete_snapshot")
def delete_snapshot(original: Callable[..., Any], backend: Any, snapshot_id: str) -> Any:
    """A snapshot's copy of the disk goes once nothing stands on it."""
    gone = original(backend, snapshot_id)
    _prune()
    return gone


def _prune() -> None:
    if hosts := keeper():
        hosts.prune()
