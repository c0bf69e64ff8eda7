"""Which hosts should exist, read from moto's EC2. Reads moto's models; changes nothing.

Call with the API's lock held: the models are moto's own, live.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from moto.ec2.models import ec2_backends

from orchestrate.lab.gaps.images import CANONICAL
from orchestrate.lab.identities import decoded
from orchestrate.lab.spec import HostSpec, Wanted

WANTED: dict[str, Wanted] = {
    "pending": "running",
    "running": "running",
    "stopping": "stopped",
    "stopped": "stopped",
    "shutting-down": "terminated",
    "terminated": "terminated",
}


def desired_hosts() -> list[HostSpec]:
    """Every instance of every account and region as a host should be, in order of launch."""
    return [
        _spec(backend, instance)
        for _, _, backend in list(ec2_backends.iter_backends())
        for instance in _instances(backend)
    ]


def _instances(backend: Any) -> Iterator[Any]:
    """Those whose subnet still stands: a terminated instance outlives its network."""
    subnets = {name for by_zone in backend.subnets.values() for name in by_zone}
    for reservation in backend.reservations.values():
        yield from (one for one in reservation.instances if one.subnet_id in subnets)


def _spec(backend: Any, instance: Any) -> HostSpec:
    subnet = backend.get_subnet(instance.subnet_id)
    vpc = backend.get_vpc(subnet.vpc_id)
    key = backend.key_pairs.get(instance.key_name)
    interface = instance.nics[0]
    return HostSpec(
        instance_id=instance.id,
        region=backend.region_name,
        vpc_id=vpc.id,
        vpc_cidr=IPv4Network(vpc.cidr_block),
        subnet_id=subnet.id,
        subnet_cidr=IPv4Network(subnet.cidr_block),
        private_ip=IPv4Address(interface.private_ip_address),
        public_ip=IPv4Address(interface.public_ip) if interface.public_ip else None,
        hostname=instance.private_dns_name.partition(".")[0],
        user=login_user(backend, instance.image_id),
        public_key=key.public_key.strip() if key else "",
        state=WANTED[instance.state],
        mac=interface.mac_address,
        has_user_data=bool(decoded(instance.user_data)),
        layers=getattr(instance, "lab_layers", ()),
        source_dest_check=interface.source_dest_check,
        security_groups=tuple(sorted({group.id for group in interface.group_set if group})),
        tags=dict(backend.tags.get(instance.id, {})),
    )


def login_user(backend: Any, image_id: str) -> str:
    """The login that an image's cloud-init makes: its vendor's, through any number of bakes."""
    image = backend.amis.get(image_id)
    vendors = "ubuntu" if image is not None and image.owner_id == CANONICAL else "admin"
    return str(getattr(image, "lab_login", vendors))
