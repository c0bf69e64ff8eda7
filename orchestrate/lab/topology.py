"""The lab's networks as text: what `ip` and `nft` are told. Pure, touches nothing.

One namespace is the internet, one per VPC is its router, one per host is the host's own. Every
VPC hangs on the internet by one veth pair, every host on its VPC's router by one:

    main ── ol0-main ══ main | ol0-net | v-… ══ internet | ol0-vpc-… | i-… ══ eth0 | ol0-i-…

What is in a VPC and between VPCs is in `orchestrate.lab.vpc`.

Namespaces carry the slot in their names; links need not, since they live inside them, all but
the one in the main namespace.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from orchestrate.lab.spec import prefix, public_range

# Linux allows 15 characters in the name of a link; twelve hexadecimal digits of an AWS id are
# random enough to tell its siblings apart.
ID_DIGITS = 12

# Both ends of every link between the internet and a VPC: link-local (RFC 3927), so the same pair
# serves all of them, and no VPC can have it as its own range.
INTERNET_END = IPv4Address("169.254.0.1")
VPC_END = IPv4Address("169.254.0.2")

# A router neither hides a dead address nor tells hosts of a shorter way around its NAT.
ROUTER_SYSCTLS = (
    "net.ipv4.ip_forward=1",
    "net.ipv4.conf.all.send_redirects=0",
    "net.ipv4.conf.default.send_redirects=0",
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.conf.default.rp_filter=0",
)

# No two hosts share a wire: for a neighbour of the same subnet the router answers ARP itself.
VPC_SYSCTLS = (*ROUTER_SYSCTLS, "net.ipv4.conf.default.proxy_arp=1")


# A host that has begun to boot goes on when it sees that its network is whole.
WIRED_ALIAS = "wired"
WIRED = f"link set eth0 alias {WIRED_ALIAS}"


def named(namespace: str, leader: int | None) -> str:
    """For `ip`: give a name to the network namespace of a process, or to a new one."""
    return f"netns attach {namespace} {leader}" if leader else f"netns add {namespace}"


@dataclass(frozen=True)
class Slot:
    """The names and public addresses that belong to one lab of this machine."""

    number: int

    @property
    def prefix(self) -> str:
        return prefix(self.number)

    @property
    def internet(self) -> str:
        return f"{self.prefix}net"

    @property
    def link(self) -> str:
        """The lab's only link in the main namespace."""
        return f"{self.prefix}main"

    @property
    def public(self) -> IPv4Network:
        return public_range(self.number)

    @property
    def internet_address(self) -> IPv4Address:
        return self.public[1]

    @property
    def main_address(self) -> IPv4Address:
        """What hosts see as the client when somebody on this machine calls them."""
        return self.public[2]

    @property
    def services_address(self) -> IPv4Address:
        """Where the internet has what hosts need of it: Debian's archives, names, the time."""
        return self.public[3]

    def namespace(self, resource_id: str) -> str:
        """The namespace of a VPC's router or of a host."""
        return f"{self.prefix}{resource_id}"


def link_name(resource_id: str) -> str:
    """A link's name for `vpc-…`, `i-…`, `nat-…`, `pcx-…`: the kind's first letter and 12 digits."""
    kind, _, digits = resource_id.partition("-")
    return f"{kind[0]}-{digits[-ID_DIGITS:]}"


def resolver(vpc_cidr: IPv4Network) -> IPv4Address:
    """Where a VPC's hosts ask for names: the range's base plus two, as on AWS."""
    return vpc_cidr[2]


def gateway(subnet_cidr: IPv4Network) -> IPv4Address:
    """A subnet's router: its range's first address, as on AWS."""
    return subnet_cidr[1]


def internet_links(slot: Slot) -> list[str]:
    """For `ip` in the main namespace: the internet, and the one route to it."""
    return [
        f"netns add {slot.internet}",
        f"link add {slot.link} type veth peer name main netns {slot.internet}",
        f"address add {slot.main_address} peer {slot.internet_address} dev {slot.link}",
        # It gets no IPv6 address by itself: the main namespace has the one address and no more.
        f"link set {slot.link} addrgenmode none up",
        f"route add {slot.public} via {slot.internet_address} dev {slot.link}",
    ]


def internet_inside(slot: Slot) -> list[str]:
    """For `ip` in the internet's namespace."""
    return [
        "link set lo up",
        f"address add {slot.internet_address} peer {slot.main_address} dev main",
        f"address add {slot.services_address}/32 dev lo",
        "link set main up",
    ]


def internet_filter(slot: Slot, sites: Mapping[IPv4Address, IPv4Address]) -> str:
    """For `nft` in the internet's namespace: it carries public addresses only; replaced as a whole.

    Without this a private source could reach the main namespace, whose answers would leave by
    the machine's own default route, and who is root in a host all that listens on this machine:
    it calls hosts, and is called by none. `sites` has the public addresses of sites, which the
    fleet names and which may be anybody's, by those of the lab's range that this machine calls
    them by: the main namespace never meets the former.
    """
    moved = ", ".join(f"{alias} : {public}" for alias, public in sorted(sites.items()))
    public = ", ".join(str(address) for address in sorted(sites.values()))
    return f"""\
table ip lab
delete table ip lab
table ip lab {{
  map moved {{
    type ipv4_addr : ipv4_addr
    {f"elements = {{ {moved} }}" if moved else ""}
  }}
  set sites {{
    type ipv4_addr
    {f"elements = {{ {public} }}" if public else ""}
  }}
  chain prerouting {{
    type nat hook prerouting priority dstnat; policy accept;
    iifname "main" dnat to ip daddr map @moved
  }}
  chain forward {{
    type filter hook forward priority filter; policy accept;
    ct status dnat accept
    ip saddr @sites oifname != "main" accept
    ip saddr != {slot.public} drop
    oifname "main" ct state new drop
  }}
}}
"""


def vpc_links(slot: Slot, vpc_id: str) -> list[str]:
    """For `ip` in the main namespace: a VPC's router and its link to the internet."""
    router = slot.namespace(vpc_id)
    return [
        f"netns add {router}",
        f"link add {link_name(vpc_id)} netns {slot.internet}"
        f" type veth peer name internet netns {router}",
    ]


def vpc_port(vpc_id: str) -> list[str]:
    """For `ip` in the internet's namespace: its end of a VPC's link."""
    return [
        f"address add {INTERNET_END}/32 dev {link_name(vpc_id)}",
        f"link set {link_name(vpc_id)} up",
    ]


def vpc_inside(vpc_cidr: IPv4Network) -> list[str]:
    """For `ip` in a VPC's router. Its main table leads to hosts only, see `vpc.routes`."""
    return [
        "link set lo up",
        f"address add {resolver(vpc_cidr)}/32 dev lo",
        f"address add {VPC_END}/32 dev internet",
        "link set internet up",
    ]


def subnet_inside(subnet_cidr: IPv4Network) -> list[str]:
    """For `ip` in a VPC's router: it is a subnet's first address to all hosts of the subnet."""
    return [f"address add {gateway(subnet_cidr)}/32 dev lo"]
