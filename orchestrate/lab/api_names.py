"""The names by which hosts call AWS, and where they lead on the lab's internet. Pure."""

from collections.abc import Iterable
from ipaddress import IPv4Address

from orchestrate.lab.names import Records, Zone

# Services that AWS has once for all regions, under names without one.
GLOBAL = ("iam", "route53", "s3", "sts")
DOMAIN = "amazonaws.com"


def zones(door: IPv4Address, regions: Iterable[str]) -> tuple[Zone, ...]:
    """`SERVICE.REGION.amazonaws.com`, buckets' names below them, and the global services'."""
    leads = Records((str(door),))
    domains = [f"{name}.{DOMAIN}." for name in (*regions, *GLOBAL)]
    return tuple(
        Zone(name, {(name, "A"): leads, (f"*.{name}", "A"): leads}) for name in sorted(domains)
    )


def certified(regions: Iterable[str]) -> list[str]:
    """What the API's certificate must name: a star stands for one label (RFC 6125)."""
    places = [f"*.{region}.{DOMAIN}" for region in regions]
    buckets = [f"*.s3.{region}.{DOMAIN}" for region in regions]
    return [f"*.{DOMAIN}", f"*.s3.{DOMAIN}", *places, *buckets]
