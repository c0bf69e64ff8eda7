import json

import pytest

from orchestrate.terraform.events import Diagnostic, Event, ResourceFailed
from orchestrate.terraform.half_made import half_made, tainted

ZONE, VPC, PROFILE = "module.dns.aws_route53_zone.public", "aws_vpc.this", "aws_iam_profile.a"
CANCELED = "waiting for Route 53 Hosted Zone (Z1) synchronize: context canceled"


def failed(address: str, action: str, summary: str, detail: str = "") -> list[Event]:
    return [
        ResourceFailed(address, action, 1),
        Diagnostic("error", summary, detail, address),
        Diagnostic("error", "execution halted"),
    ]


@pytest.mark.parametrize(
    ("events", "kept"),
    [
        (failed(ZONE, "create", CANCELED), [ZONE]),
        (failed(VPC, "create", "creating", "While waiting: context canceled"), [VPC]),
        ([*failed(ZONE, "create", CANCELED), *failed(VPC, "create", CANCELED)], [VPC, ZONE]),
        (failed(VPC, "create", "creating EC2 VPC: UnauthorizedOperation"), []),
        (failed("module.network.aws_nat_gateway.this[0]", "create", CANCELED), []),
        (failed(VPC, "delete", CANCELED), []),
        (failed(VPC, "update", CANCELED), []),
        ([Diagnostic("error", CANCELED, address=ZONE)], []),
    ],
    ids=[
        "waited",
        "in the detail",
        "two",
        "failed",
        "may fail later",
        "deleting",
        "changing",
        "not being made",
    ],
)
def test_what_was_given_up_is_kept_and_what_failed_is_not(
    events: list[Event], kept: list[str]
) -> None:
    assert list(half_made(events)) == kept


def test_the_addresses_of_tainted_resources_are_as_terraform_writes_them() -> None:
    def resource(type_: str, name: str, *instances: object, **more: str) -> dict[str, object]:
        return {"mode": "managed", "type": type_, "name": name, "instances": instances, **more}

    marked = {"status": "tainted"}
    resources = [
        resource("aws_vpc", "this", marked, module="module.network"),
        resource("aws_instance", "this", {**marked, "index_key": "vpn"}, {"index_key": "bastion"}),
        resource("aws_iam_role_policy", "data", {**marked, "index_key": 0}),
        resource("aws_efs_file_system", "home", {}),
    ]
    state = json.dumps({"resources": resources}).encode()
    assert tainted(state) == {
        "module.network.aws_vpc.this",
        'aws_instance.this["vpn"]',
        "aws_iam_role_policy.data[0]",
    }


@pytest.mark.parametrize("state", [None, b"", b'{"resources": []}'])
def test_where_there_is_nothing_nothing_is_tainted(state: bytes | None) -> None:
    assert tainted(state) == frozenset()
