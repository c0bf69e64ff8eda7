"""What an instance may know of itself, read from moto: EC2, and a session of its role from STS.

Call with the API's lock held: the models are moto's own, live.
"""

import base64
import binascii
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from moto.ec2.models import ec2_backends
from moto.sts.models import sts_backends

from orchestrate.lab.identity import Credentials, Identity, Profile

SESSION = timedelta(hours=6)
RENEW_BEFORE = timedelta(hours=1)


def find_instance(region: str, instance_id: str) -> Any | None:
    """Moto's instance, whichever account it is in; None when there is none."""
    backends: list[tuple[str, str, Any]] = list(ec2_backends.iter_backends())
    for _, name, backend in backends:
        if name == region:
            for reservation in backend.reservations.values():
                for instance in reservation.instances:
                    if instance.id == instance_id:
                        return instance
    return None


def identity(region: str, instance_id: str) -> Identity | None:
    """The identity of an instance that is not terminated."""
    instance = find_instance(region, instance_id)
    if instance is None or instance.state == "terminated":
        return None
    backend, interface, options = (
        instance.ec2_backend,
        instance.nics[0],
        instance.metadata_options,
    )
    subnet = backend.get_subnet(instance.subnet_id)
    vpc = backend.get_vpc(subnet.vpc_id)
    key = backend.key_pairs.get(instance.key_name)
    shows_tags = options.instance_metadata_tags == "enabled"
    return Identity(
        instance_id=instance.id,
        account=backend.account_id,
        region=region,
        zone=instance.availability_zone,
        image_id=instance.image_id,
        instance_type=instance.instance_type,
        architecture=instance.architecture,
        root_device=instance.root_device_name,
        reservation_id=_reservation(backend, instance),
        launch_index=int(instance.ami_launch_index),
        launched=instance.launch_time.replace(tzinfo=UTC),
        hostname=instance.private_dns_name,
        public_hostname=instance.public_dns_name or "",
        private_ip=IPv4Address(interface.private_ip_address),
        public_ip=IPv4Address(interface.public_ip) if interface.public_ip else None,
        mac=interface.mac_address,
        interface_id=interface.id,
        vpc_id=vpc.id,
        vpc_cidr=IPv4Network(vpc.cidr_block),
        subnet_id=subnet.id,
        subnet_cidr=IPv4Network(subnet.cidr_block),
        security_groups={group.id: group.name for group in interface.group_set},
        key_name=instance.key_name or "",
        public_key=key.public_key.strip() if key else "",
        spot=instance.lifecycle == "spot",
        interrupted_at=getattr(instance, "lab_interrupted_at", None),
        tags=dict(backend.tags.get(instance.id, {})) if shows_tags else {},
        user_data=decoded(instance.user_data),
        profile=_profile(backend, instance),
        service_enabled=options.http_endpoint != "disabled",
        token_required=options.http_tokens == "required",
    )


def decoded(user_data: Any) -> bytes:
    """User data as the instance gets it: the API takes and keeps it in base 64."""
    text = str(user_data or "")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:  # given as it is, which a launch configuration may
        return text.encode()


def _reservation(backend: Any, instance: Any) -> str:
    every = backend.reservations.values()
    return next((str(one.id) for one in every if instance in one.instances), "")


def _profile(backend: Any, instance: Any) -> Profile | None:
    association = backend.iam_instance_profile_associations.get(instance.id)
    profile = association.iam_instance_profile if association else None
    if profile is None or not profile.roles:
        return None
    role = profile.roles[0]
    return Profile(profile.arn, profile.id, role.name, _session(backend, instance, role))


def _session(backend: Any, instance: Any, role: Any) -> Credentials:
    """The instance's current session, a new one when the role changed or the end is near."""
    now = datetime.now(UTC)
    arn, kept = getattr(instance, "lab_session", ("", None))
    if arn == role.arn and kept and kept.expires - now > RENEW_BEFORE:
        found: Credentials = kept
        return found
    sts: Any = sts_backends[backend.account_id][backend.partition]
    session = sts.assume_role(
        region_name=backend.region_name,
        role_session_name=instance.id,
        role_arn=role.arn,
        policy=None,
        duration=int(SESSION.total_seconds()),
        external_id=None,
    )
    session.lab_instance = instance  # the session ends with it
    fresh = Credentials(
        access_key_id=session.access_key_id,
        secret_access_key=session.secret_access_key,
        token=session.session_token,
        issued=now,
        expires=session.expiration.replace(tzinfo=UTC),
    )
    instance.lab_session = (role.arn, fresh)
    return fresh
