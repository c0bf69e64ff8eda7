"""Which address ranges the fleet wants, and under which keys the ledger keeps them. Pure.

Keys are paths that read as sentences: `cluster-us-west/vpc`, `cluster-us-west/private/us-west-2a`,
`site-sf/lan/office`. A key is an allocation's identity: it never changes once committed.
"""

from dataclasses import dataclass
from ipaddress import IPv4Network

from orchestrate.fleet.models import Cluster, Fleet, Site


@dataclass(frozen=True)
class RangeRequest:
    """One range wanted: `prefix` bits long, from pool `pool` or inside the allocation `inside`.

    Exactly one of `pool` and `inside` is set. `fixed` is a range that the world already gave,
    to be recorded as it is; it goes with a pool, which it may lie outside of.
    """

    key: str
    prefix: int
    pool: str = ""
    inside: str = ""
    fixed: IPv4Network | None = None


def vpc(cluster: str) -> str:
    """The cluster's network; its subnets lie inside."""
    return f"{cluster}/vpc"


def subnet(cluster: str, tier: str, zone: str) -> str:
    """The cluster's subnet in one zone; `tier` is `public` or `private`."""
    return f"{cluster}/{tier}/{zone}"


def pods(owner: str) -> str:
    """Pod addresses of the nodes of a cluster or site."""
    return f"{owner}/pods"


def services(owner: str) -> str:
    """Virtual addresses of the Kubernetes services of a cluster or site."""
    return f"{owner}/services"


def vpn_clients(cluster: str) -> str:
    """The addresses that laptops get from the cluster's VPN endpoint."""
    return f"{cluster}/vpn-clients"


def lan(site: str, name: str) -> str:
    """One of a site's networks, given by the building or by us."""
    return f"{site}/lan/{name}"


def wanted(fleet: Fleet) -> list[RangeRequest]:
    """Every range the fleet needs, in a fixed order: clusters by name, then sites by name."""
    requests: list[RangeRequest] = []
    for cluster in fleet.clusters.values():
        requests += _of_cluster(cluster)
    for site in fleet.sites.values():
        requests += _of_site(site)
    return requests


def _of_cluster(cluster: Cluster) -> list[RangeRequest]:
    name, prefix = cluster.name, cluster.network.prefix
    whole = vpc(name)
    requests = [RangeRequest(whole, prefix, pool="cloud")]
    # An eighth of the VPC per zone for hosts, a 256th for gateways and doors: six zones fit
    # (EC2 has none with more), and a quarter is left for what comes later.
    for zone in cluster.zones:
        requests.append(RangeRequest(subnet(name, "private", zone), prefix + 3, inside=whole))
    for zone in cluster.zones:
        public = min(prefix + 8, 28)
        requests.append(RangeRequest(subnet(name, "public", zone), public, inside=whole))
    requests.append(RangeRequest(pods(name), cluster.kubernetes.pods_prefix, pool="pods"))
    requests.append(
        RangeRequest(services(name), cluster.kubernetes.services_prefix, pool="services")
    )
    if cluster.vpn:
        requests.append(RangeRequest(vpn_clients(name), cluster.vpn.clients_prefix, pool="vpn"))
    return requests


def _of_site(site: Site) -> list[RangeRequest]:
    requests = []
    for name, net in site.lans.items():
        prefix = net.range.prefixlen if net.range else net.prefix or 24
        requests.append(RangeRequest(lan(site.name, name), prefix, pool="sites", fixed=net.range))
    requests.append(RangeRequest(pods(site.name), site.kubernetes.pods_prefix, pool="pods"))
    requests.append(
        RangeRequest(services(site.name), site.kubernetes.services_prefix, pool="services")
    )
    return requests
