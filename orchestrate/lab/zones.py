"""What a VPC's resolver knows, read from moto: Route 53 and the names EC2 gives.

Call with the API's lock held: the models are moto's own, live.
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address
from typing import Any

from moto.ec2.models import ec2_backends
from moto.route53.models import route53_backends

from orchestrate.lab.names import Names, Records, Zone

EC2_TTL_S = 60
# Route 53 writes a wildcard's star as an octal escape.
STAR = "\\052"


def names(vpc_id: str) -> Names:
    """The zones of a VPC and all public ones, and the names of its instances."""
    private, public = [], []
    for zone in _hosted_zones():
        if not zone.private_zone:
            public.append(_zone(zone))
        elif any(vpc["vpc_id"] == vpc_id for vpc in zone.vpcs):
            private.append(_zone(zone))
    living = list(_instances())
    private.extend(ec2_private([one for one in living if one.vpc_id == vpc_id]))
    return Names(private, [*public, ec2_public(living, vpc_id)])


def _hosted_zones() -> Iterator[Any]:
    for _, _, backend in list(route53_backends.iter_backends()):
        held: Any = backend
        yield from held.zones.values()


def _zone(zone: Any) -> Zone:
    records = {}
    for one in zone.rrsets:
        if one.records:
            name = one.name.lower().replace(STAR, "*").rstrip(".") + "."
            values = tuple(str(value) for value in one.records)
            records[name, one.type] = Records(values, int(one.ttl or EC2_TTL_S))
    return Zone(zone.name.lower().rstrip(".") + ".", records)


def _instances() -> Iterator[Any]:
    for _, _, backend in list(ec2_backends.iter_backends()):
        held: Any = backend
        for reservation in held.reservations.values():
            yield from (one for one in reservation.instances if one.state != "terminated")


def ec2_private(instances: Iterable[Any]) -> list[Zone]:
    """The private names of a VPC's instances, and the names of their addresses. Pure.

    https://docs.aws.amazon.com/vpc/latest/userguide/AmazonDNS-concepts.html
    """
    zones: dict[str, dict[tuple[str, str], Records]] = {"in-addr.arpa.": {}}
    for instance in instances:
        name = f"{instance.private_dns_name}."
        domain = name.partition(".")[2]
        zones.setdefault(domain, {})[name, "A"] = Records((instance.private_ip,), EC2_TTL_S)
        reverse = f"{IPv4Address(instance.private_ip).reverse_pointer}."
        zones["in-addr.arpa."][reverse, "PTR"] = Records((name,), EC2_TTL_S)
    return [Zone(name, records) for name, records in zones.items()]


def ec2_public(instances: Iterable[Any], vpc_id: str) -> Zone:
    """Public names: within the instance's own VPC they are its private address. Pure."""
    records = {}
    for instance in instances:
        if instance.public_dns_name:
            own = instance.vpc_id == vpc_id
            address = instance.private_ip if own else instance.public_ip
            records[f"{instance.public_dns_name}.", "A"] = Records((address,), EC2_TTL_S)
    return Zone("amazonaws.com.", records)
