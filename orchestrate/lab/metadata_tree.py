"""The categories of instance metadata as a tree of folders and values. Pure.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-metadata.html
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TypeAlias

from orchestrate.lab.identity import Identity, Profile

Tree: TypeAlias = "Mapping[str, Tree | str]"


def tree(identity: Identity) -> Tree:
    """Everything below a version, but the user data."""
    document = {"document": document_of(identity)}
    return {"dynamic": {"instance-identity": document}, "meta-data": _metadata(identity)}


def document_of(identity: Identity) -> str:
    """The instance identity document, JSON. Unsigned: the lab has no certificate of AWS's."""
    facts = {
        "accountId": identity.account,
        "architecture": identity.architecture,
        "availabilityZone": identity.zone,
        "billingProducts": None,
        "devpayProductCodes": None,
        "marketplaceProductCodes": None,
        "imageId": identity.image_id,
        "instanceId": identity.instance_id,
        "instanceType": identity.instance_type,
        "kernelId": None,
        "pendingTime": _stamp(identity.launched),
        "privateIp": str(identity.private_ip),
        "ramdiskId": None,
        "region": identity.region,
        "version": "2017-09-30",
    }
    return json.dumps(facts, indent=2)


def _metadata(identity: Identity) -> Tree:
    return {
        "ami-id": identity.image_id,
        "ami-launch-index": str(identity.launch_index),
        "ami-manifest-path": "(unknown)",
        "block-device-mapping": {"ami": identity.root_device, "root": identity.root_device},
        "hostname": identity.hostname,
        **_iam(identity.profile),
        "instance-action": "none",
        "instance-id": identity.instance_id,
        "instance-life-cycle": "spot" if identity.spot else "on-demand",
        "instance-type": identity.instance_type,
        "local-hostname": identity.hostname,
        "local-ipv4": str(identity.private_ip),
        "mac": identity.mac,
        "network": {"interfaces": {"macs": {identity.mac: _interface(identity)}}},
        "placement": {"availability-zone": identity.zone, "region": identity.region},
        "profile": "default-hvm",
        **_public(identity),
        **_public_keys(identity),
        "reservation-id": identity.reservation_id,
        "security-groups": _lines(identity.security_groups.values()),
        "services": {"domain": "amazonaws.com", "partition": "aws"},
        **_spot(identity),
        **({"tags": {"instance": dict(identity.tags)}} if identity.tags else {}),
    }


def _interface(identity: Identity) -> Tree:
    public: dict[str, Tree | str] = {}
    if identity.public_ip is not None:
        public = {
            "public-hostname": identity.public_hostname,
            "public-ipv4s": str(identity.public_ip),
            "ipv4-associations": {str(identity.public_ip): str(identity.private_ip)},
        }
    return {
        "device-number": "0",
        "interface-id": identity.interface_id,
        "local-hostname": identity.hostname,
        "local-ipv4s": str(identity.private_ip),
        "mac": identity.mac,
        "owner-id": identity.account,
        **public,
        "security-group-ids": _lines(identity.security_groups),
        "security-groups": _lines(identity.security_groups.values()),
        "subnet-id": identity.subnet_id,
        "subnet-ipv4-cidr-block": str(identity.subnet_cidr),
        "vpc-id": identity.vpc_id,
        "vpc-ipv4-cidr-block": str(identity.vpc_cidr),
        "vpc-ipv4-cidr-blocks": str(identity.vpc_cidr),
    }


def _public(identity: Identity) -> Tree:
    if identity.public_ip is None:
        return {}
    return {"public-hostname": identity.public_hostname, "public-ipv4": str(identity.public_ip)}


def _public_keys(identity: Identity) -> Tree:
    if not identity.key_name:
        return {}
    return {"public-keys": {f"0={identity.key_name}": {"openssh-key": identity.public_key}}}


def _iam(profile: Profile | None) -> Tree:
    if profile is None:
        return {}
    keys = profile.credentials
    common = {"Code": "Success", "LastUpdated": _stamp(keys.issued)}
    info = {**common, "InstanceProfileArn": profile.arn, "InstanceProfileId": profile.id}
    session = {
        **common,
        "Type": "AWS-HMAC",
        "AccessKeyId": keys.access_key_id,
        "SecretAccessKey": keys.secret_access_key,
        "Token": keys.token,
        "Expiration": _stamp(keys.expires),
    }
    return {
        "iam": {
            "info": json.dumps(info, indent=2),
            "security-credentials": {profile.role: json.dumps(session, indent=2)},
        }
    }


def _spot(identity: Identity) -> Tree:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html"""
    if identity.interrupted_at is None:
        return {}
    end = _stamp(identity.interrupted_at)
    action = json.dumps({"action": "terminate", "time": end})
    return {"spot": {"instance-action": action, "termination-time": end}}


def _lines(words: Iterable[str]) -> str:
    return "\n".join(words)


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
