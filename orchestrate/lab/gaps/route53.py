"""Route 53: private zones."""

from collections.abc import Callable
from typing import Any

from moto.route53.responses import Route53

from orchestrate.lab.gaps import amends


@amends(Route53, "create_hosted_zone")
def create_hosted_zone(original: Callable[..., Any], response: Any) -> Any:
    """A zone created with a VPC is private; `HostedZoneConfig.PrivateZone` need not be sent.

    https://docs.aws.amazon.com/Route53/latest/APIReference/API_CreateHostedZone.html (VPC).
    `aws_route53_zone` sends the VPC alone: taken as public, the zone has no `vpc` in the next
    plan and `aws_route53_zone_association` is refused.
    """
    if response._get_param("VPC.VPCId"):
        given = response.params.get("HostedZoneConfig") or {}
        response.params["HostedZoneConfig"] = {**given, "PrivateZone": True}
    return original(response)
