"""Route 53: private zones, and what a batch of changes may change."""

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from moto.route53.exceptions import Route53ClientError
from moto.route53.models import Route53Backend
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


@amends(Route53Backend, "create_hosted_zone")
def create_zone(original: Callable[..., Any], backend: Any, *arguments: Any, **named: Any) -> Any:
    """A caller's reference makes one zone, and a VPC sees one private zone of a name.

    https://docs.aws.amazon.com/Route53/latest/APIReference/API_CreateHostedZone.html
    (HostedZoneAlreadyExists, ConflictingDomainExists). An `aws_route53_zone` that was made twice.
    """
    names = ("name", "private_zone", "caller_reference", "vpcid")
    asked = {**dict(zip(names, arguments, strict=False)), **named}
    for zone in backend.zones.values():
        if asked.get("caller_reference") and zone.caller_reference == asked["caller_reference"]:
            what = "A hosted zone has already been created with the specified caller reference"
            raise Route53ClientError("HostedZoneAlreadyExists", f"{what}: {zone.id}")
        same = _absolute(zone.name) == _absolute(asked["name"])
        if same and asked.get("vpcid"):
            _refuse_seen(zone, asked["vpcid"])
    return original(backend, *arguments, **named)


@amends(Route53Backend, "associate_vpc_with_hosted_zone")
def associate_vpc(
    original: Callable[..., Any], backend: Any, zone_id: str, vpcid: str, vpcregion: str
) -> Any:
    """A VPC that sees a zone is not associated with it again.

    https://docs.aws.amazon.com/Route53/latest/APIReference/API_AssociateVPCWithHostedZone.html
    (ConflictingDomainExists). `aws_route53_zone_association`.
    """
    _refuse_seen(backend.get_hosted_zone(zone_id), vpcid)
    return original(backend, zone_id, vpcid, vpcregion)


def _refuse_seen(zone: Any, vpc: str) -> None:
    if any(one.get("vpc_id") == vpc for one in zone.vpcs):
        what = f"The VPC {vpc} has already been associated with the hosted zone {zone.id} with the"
        raise Route53ClientError("ConflictingDomainExists", f"{what} same domain name.")


@amends(Route53Backend, "disassociate_vpc_from_hosted_zone")
def disassociate_vpc(original: Callable[..., Any], backend: Any, zone_id: str, vpcid: str) -> Any:
    """A VPC that does not see a zone cannot be taken from it.

    https://docs.aws.amazon.com/Route53/latest/APIReference/API_DisassociateVPCFromHostedZone.html
    (VPCAssociationNotFound).
    """
    if all(one.get("vpc_id") != vpcid for one in backend.get_hosted_zone(zone_id).vpcs):
        what = f"The VPC {vpcid} is not associated with the hosted zone {zone_id}."
        raise Route53ClientError("VPCAssociationNotFound", what)
    return original(backend, zone_id, vpcid)


@amends(Route53Backend, "change_resource_record_sets")
def change_resource_record_sets(
    original: Callable[..., Any], backend: Any, zoneid: str, change_list: list[dict[str, Any]]
) -> None:
    """All of a batch or nothing, as far as what is there allows.

    https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html
    (InvalidChangeBatch). moto takes a second CREATE of a record with other values, refuses one of
    a record that was there once, and deletes what is gone: `aws_route53_record`.
    """
    zone = backend.get_hosted_zone(zoneid)
    present = [
        {"Name": one.name, "Type": one.type, "SetIdentifier": one.set_identifier}
        for one in zone.rrsets
    ]
    if wrong := refused(present, change_list):
        raise Route53ClientError("InvalidChangeBatch", f"[{', '.join(wrong)}]")
    # What moto remembers of records that are gone would have it refuse them.
    changes = copy.deepcopy(change_list)
    for change in changes:
        if change["Action"] == "CREATE":
            change["Action"] = "UPSERT"
    original(backend, zoneid, changes)


Record = Mapping[str, Any]


def refused(present: Iterable[Record], changes: Iterable[Mapping[str, Any]]) -> list[str]:
    """What Route 53 says of changes that do not fit the records of a zone. Pure.

    A record is known by its name, type and set identifier; a CNAME stands alone at its name.
    """
    there = {_key(record) for record in present}
    wrong = []
    for change in changes:
        record, action = change["ResourceRecordSet"], change["Action"]
        key = _key(record)
        name, kind, _ = key
        said = f"resource record set [name='{name}', type='{kind}']"
        if action == "DELETE" and key not in there:
            wrong.append(f"Tried to delete {said} but it was not found")
        if action == "CREATE" and key in there:
            wrong.append(f"Tried to create {said} but it already exists")
        if action == "DELETE":
            there.discard(key)
            continue
        others = {other for at, other, _ in there if at == name and other != kind}
        if others and "CNAME" in {kind, *others}:
            wrong.append(
                f"RRSet of type {kind} with DNS name {name} is not permitted because a conflicting "
                f"RRSet of type {min(others)} with the same DNS name already exists"
            )
        there.add(key)
    return wrong


def _key(record: Record) -> tuple[str, str, str]:
    return _absolute(record["Name"]), str(record["Type"]), str(record.get("SetIdentifier") or "")


def _absolute(name: str) -> str:
    """A name in one spelling: lower case, with the last dot, a star as itself."""
    return name.lower().rstrip(".").replace("\\052", "*") + "."
