"""A peering connection as a wire between two VPCs' routers. Pure, touches nothing.

It carries what either side's routes send into it, and each side's router takes from it only what
is for its own hosts: no way through to a third VPC or the internet, as on AWS.
"""

from ipaddress import IPv4Address

from orchestrate.lab.topology import Slot, link_name
from orchestrate.lab.vpc.models import Peering

# The other router, seen from either: nobody has the address, its hardware address is written down.
PEER = IPv4Address("169.254.0.3")

# Locally administered (IEEE 802), and the same on every such wire: each is a network of two.
REQUESTER_MAC = "02:00:00:00:00:01"
ACCEPTER_MAC = "02:00:00:00:00:02"


def wire(slot: Slot, peering: Peering) -> list[str]:
    """For `ip` in the main namespace: the link, an end in either router."""
    link = link_name(peering.peering_id)
    return [
        f"link add {link} address {REQUESTER_MAC} netns {slot.namespace(peering.requester)}"
        f" type veth"
        f" peer name {link} address {ACCEPTER_MAC} netns {slot.namespace(peering.accepter)}"
    ]


def wire_end(peering: Peering, vpc_id: str) -> list[str]:
    """For `ip` in the router of `vpc_id`, one of the two."""
    link = link_name(peering.peering_id)
    mac = ACCEPTER_MAC if vpc_id == peering.requester else REQUESTER_MAC
    return [
        f"link set {link} up",
        f"neighbour add {PEER} lladdr {mac} dev {link} nud permanent",
    ]
