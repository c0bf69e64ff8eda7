"""EC2 addresses: public ones from the lab's range, private ones from their subnet.

Hosts are real: an address that two of them share, or one outside the lab's range, is a fault in
the network here, while moto only ever prints them.
"""

import copy
import itertools
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends
from moto.ec2.models.elastic_ip_addresses import ElasticAddressBackend
from moto.ec2.models.elastic_network_interfaces import NetworkInterface, NetworkInterfaceBackend
from moto.ec2.models.instances import Instance
from moto.ec2.models.nat_gateways import NatGatewayBackend
from moto.ec2.models.subnets import Subnet

from orchestrate.lab.gaps import amends
from orchestrate.lab.spec import ROUTER_ADDRESSES, public_range

_public: list[IPv4Network] = []


def use_slot(slot: int) -> None:
    """Give out the public addresses of this slot from now on."""
    _public[:] = [public_range(slot)]


def first_free(net: IPv4Network, taken: Iterable[str]) -> IPv4Address | None:
    """The lowest host address not taken, past those the lab's routers keep; None when full."""
    used = set(taken)
    hosts = itertools.islice(net.hosts(), ROUTER_ADDRESSES, None)
    return next((host for host in hosts if str(host) not in used), None)


def _next_public() -> str:
    backends: list[Any] = [backend for _, _, backend in ec2_backends.iter_backends()]
    elastic = (a.public_ip for backend in backends for a in backend.addresses)
    automatic = (eni.public_ip for backend in backends for eni in backend.enis.values())
    free = first_free(_public[0], filter(None, itertools.chain(elastic, automatic)))
    if free is None:
        raise EC2ClientError("AddressLimitExceeded", "The lab's public addresses are used up.")
    return str(free)


@amends(ElasticAddressBackend, "allocate_address")
def allocate_address(
    original: Callable[..., Any], backend: Any, domain: str, address: str | None = None, **more: Any
) -> Any:
    """Elastic addresses are routed on this machine: they come from the lab's public range."""
    return original(backend, domain, address=address or _next_public(), **more)


@amends(ElasticAddressBackend, "associate_address")
def associate_address(original: Callable[..., Any], backend: Any, *args: Any, **more: Any) -> Any:
    """An interface has one elastic address, and an address one interface; the old tie is undone.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateAddress.html.
    `aws_eip.instance` and `aws_eip_association` when a bastion is replaced.
    """
    before = {address.allocation_id: address.eni for address in backend.addresses}
    result = original(backend, *args, **more)
    old = before.get(result.allocation_id)
    if old is not None and old is not result.eni:
        old.public_ip = None
    for other in backend.addresses:
        if other is not result and other.eni is result.eni:
            other.eni = other.instance = other.association_id = None
    return result


def _elastic(interface: Any) -> bool:
    return any(address.eni is interface for address in interface.ec2_backend.addresses)


@amends(NetworkInterface, "check_auto_public_ip")
def check_auto_public_ip(_original: Callable[..., Any], interface: Any) -> None:
    """An automatic public address never replaces an elastic one, across stop and start too.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html
    """
    if str(interface.public_ip_auto_assign).lower() == "true" and not _elastic(interface):
        interface.public_ip = _next_public()


@amends(NetworkInterface, "stop")
def stop_interface(original: Callable[..., Any], interface: Any) -> None:
    """Stopping an instance gives back its automatic public address, not its elastic one."""
    if not _elastic(interface):
        original(interface)


@amends(Instance, "terminate")
def terminate(original: Callable[..., Any], instance: Any) -> Any:
    """Terminating an instance disassociates its elastic addresses; they stay allocated.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html
    Doing it twice is no error:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TerminateInstances.html
    """
    if instance.state == "terminated":
        return copy.copy(instance._state)
    interfaces = list(instance.nics.values())
    for address in list(instance.ec2_backend.addresses):
        if address.eni is not None and address.eni in interfaces:
            address.eni.public_ip = None
            address.eni = address.instance = address.association_id = None
    return original(instance)


@amends(Subnet, "get_available_subnet_ip")
def get_available_subnet_ip(_original: Callable[..., Any], subnet: Any, instance: Any) -> str:
    """The next address of the subnet upward from the fifth; released ones are reused last.

    https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html: the first four and the
    last are AWS's.
    """
    fresh = (str(host) for host in subnet._subnet_ip_generator)
    address = next((host for host in fresh if host not in subnet._subnet_ips), None)
    if address is None:
        if not subnet._unused_ips:
            raise EC2ClientError(
                "InsufficientFreeAddressesInSubnet",
                f"There are not enough free addresses in subnet '{subnet.id}'.",
            )
        address = min(subnet._unused_ips, key=IPv4Address)
        subnet._unused_ips.discard(address)
    subnet._subnet_ips[address] = instance
    return address


@amends(NetworkInterfaceBackend, "create_network_interface")
def create_network_interface(
    original: Callable[..., Any],
    backend: Any,
    subnet: Any,
    private_ip_address: Any = None,
    private_ip_addresses: Any = None,
    *args: Any,
    **more: Any,
) -> Any:
    """An interface's address is one of its subnet, and nobody else's: moto draws lots.

    NAT gateways, interface endpoints and `aws_network_interface` come through here;
    `private_ip` of each must be the same in the next plan, and reachable.
    """
    subnet = backend.get_subnet(subnet) if isinstance(subnet, str) else subnet
    wanted = private_ip_address[0] if isinstance(private_ip_address, list) else private_ip_address
    if private_ip_addresses:
        return original(backend, subnet, private_ip_address, private_ip_addresses, *args, **more)
    if not wanted or IPv4Address(wanted) not in subnet.cidr:
        wanted = subnet.get_available_subnet_ip(None)
    subnet._subnet_ips.setdefault(wanted, None)
    return original(backend, subnet, wanted, private_ip_addresses, *args, **more)


@amends(NetworkInterfaceBackend, "delete_network_interface")
def delete_network_interface(original: Callable[..., Any], backend: Any, eni_id: str) -> None:
    """A deleted interface gives its addresses back to the subnet."""
    interface = backend.enis.get(eni_id)
    original(backend, eni_id)
    for address in interface.private_ip_addresses:
        interface.subnet.del_subnet_ip(address["PrivateIpAddress"])


@amends(NatGatewayBackend, "delete_nat_gateway")
def delete_nat_gateway(original: Callable[..., Any], backend: Any, nat_gateway_id: str) -> Any:
    """A deleted NAT gateway lets go of its elastic address and takes its interface with it.

    https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-working-with.html. Otherwise
    `aws_eip` and `aws_subnet` of a destroyed network leave an interface behind.
    """
    gateway = original(backend, nat_gateway_id)
    for address in backend.addresses:
        if address.eni is gateway._eni:
            address.eni = address.association_id = None
    if gateway._eni.id in backend.enis:
        backend.delete_network_interface(gateway._eni.id)
    return gateway
