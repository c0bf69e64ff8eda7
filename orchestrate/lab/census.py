"""What the lab's API holds, counted by service: for `lab status` and for tests that end empty.

Call with the API's lock held. Only what somebody made counts: no default VPC, no vendor image.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from moto.autoscaling.models import autoscaling_backends
from moto.ec2.models import ec2_backends
from moto.efs.models import efs_backends
from moto.iam.models import iam_backends
from moto.route53.models import route53_backends
from moto.s3.models import s3_backends

Kinds = Callable[[Any], Iterator[tuple[str, int]]]


def count() -> dict[str, dict[str, int]]:
    """Resources per service and kind, zeros left out: `{"ec2": {"instances": 3}}`."""
    services: dict[str, tuple[Any, Kinds]] = {
        "ec2": (ec2_backends, _ec2),
        "autoscaling": (autoscaling_backends, _autoscaling),
        "s3": (s3_backends, _s3),
        "efs": (efs_backends, _efs),
        "iam": (iam_backends, _iam),
        "route53": (route53_backends, _route53),
    }
    counts: dict[str, dict[str, int]] = {}
    for service, (backends, kinds) in services.items():
        total = Counter[str]()
        for _, _, backend in list(backends.iter_backends()):
            total.update(dict(kinds(backend)))
        if found := {kind: number for kind, number in sorted(total.items()) if number}:
            counts[service] = found
    return counts


def _ec2(backend: Any) -> Iterator[tuple[str, int]]:
    vpcs = {vpc.id for vpc in backend.vpcs.values() if not vpc.is_default}
    instances = [i for r in backend.reservations.values() for i in r.instances]
    yield "vpcs", len(vpcs)
    yield "instances", sum(instance.state != "terminated" for instance in instances)
    yield "elastic addresses", len(backend.addresses)
    yield "nat gateways", sum(nat.state != "deleted" for nat in backend.nat_gateways.values())
    yield "volumes", len(backend.volumes)
    own = backend.account_id
    yield "images", sum(image.owner_id == own for image in backend.amis.values())
    yield "snapshots", sum(one.owner_id == own for one in backend.snapshots.values())
    yield "key pairs", len(backend.key_pairs)
    yield "launch templates", len(backend.launch_templates)
    yield "network interfaces", sum(eni.vpc_id in vpcs for eni in backend.enis.values())
    yield (
        "peerings",
        sum(pcx._status.code not in {"deleted", "rejected"} for pcx in backend.vpc_pcxs.values()),
    )


def _autoscaling(backend: Any) -> Iterator[tuple[str, int]]:
    yield "groups", len(backend.autoscaling_groups)


def _s3(backend: Any) -> Iterator[tuple[str, int]]:
    yield "buckets", len(backend.buckets)


def _efs(backend: Any) -> Iterator[tuple[str, int]]:
    yield "file systems", len(backend.file_systems_by_id)


def _iam(backend: Any) -> Iterator[tuple[str, int]]:
    yield "roles", len(backend.roles)
    yield "instance profiles", len(backend.instance_profiles)
    yield "policies", sum("iam::aws:" not in arn for arn in backend.managed_policies)


def _route53(backend: Any) -> Iterator[tuple[str, int]]:
    yield "zones", len(backend.zones)
