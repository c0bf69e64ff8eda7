"""Route 53: private zones."""

from collections.abc import Callable
from typing import Any

from moto.route53.models import Route53Backend

from orchestrate.lab.gaps import amends


@amends(Route53Backend, "create_hosted_zone")
def create_hosted_zone(
    original: Callable[..., Any],
    backend: Route53Backend,
    name: str,
    private_zone: bool,
    *args: Any,
    vpcid: str | None = None,
    **kwargs: Any,
) -> Any:
    """A zone created with a VPC is private; `HostedZoneConfig.PrivateZone` need not be sent.

    https://docs.aws.amazon.com/Route53/latest/APIReference/API_CreateHostedZone.html (VPC).
    `aws_route53_zone` sends the VPC alone: taken as public, the zone has no `vpc` in the next
    plan and `aws_route53_zone_association` is refused.
    """
    private = private_zone or bool(vpcid)
    return original(backend, name, private, *args, vpcid=vpcid, **kwargs)
