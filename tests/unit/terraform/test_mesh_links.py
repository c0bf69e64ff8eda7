"""What of mesh belongs to a cluster, and where a stack is whose file is gone."""

import json

import pytest

from orchestrate.terraform import mesh_links, state

AWS = 'provider["registry.terraform.io/hashicorp/aws"]'
PEERING = 'module.peering_eu-west-1_us-west-2["cluster-x cluster-a"]'


def resource(name: str, *keys: str, module: str = "", alias: str = "") -> dict[str, object]:
    instances = [{"index_key": key} if key else {} for key in keys]
    return {
        "mode": "managed",
        "type": name.partition(".")[0],
        "name": name.partition(".")[2],
        "provider": AWS + alias,
        "instances": instances,
        **({"module": module} if module else {}),
    }


MESH = json.dumps(
    {
        "resources": [
            {**resource("terraform_remote_state.cluster", "cluster-x"), "mode": "data"},
            resource("aws_route53_record.delegation", "cluster-a", "cluster-x", "cluster-x2"),
            resource("aws_route53_zone_association.foreign", "cluster-a in cluster-x"),
            resource("aws_vpc_peering_connection.this", "", module=PEERING, alias=".eu-west-1"),
            resource("aws_route.accepter", "public", module=PEERING, alias=".us-west-2"),
            resource(
                "aws_route.accepter",
                "public",
                module='module.peering_us-east-1_us-west-2["cluster-b cluster-a"]',
                alias=".us-east-1",
            ),
        ]
    }
).encode()


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        ({"cluster-none"}, ()),
        (
            {"cluster-x"},
            (
                'aws_route53_record.delegation["cluster-x"]',
                'aws_route53_zone_association.foreign["cluster-a in cluster-x"]',
                PEERING,
            ),
        ),
        ({"cluster-x2"}, ('aws_route53_record.delegation["cluster-x2"]',)),
        ({"public"}, ()),
    ],
    ids=["nobody's", "one that is joined to all", "one whose name begins alike", "a module's own"],
)
def test_the_links_of_a_cluster_are_its_own(clusters: set[str], expected: tuple[str, ...]) -> None:
    assert mesh_links.of(MESH, clusters) == expected


def test_a_mesh_that_was_never_applied_has_no_links() -> None:
    assert mesh_links.of(None, {"cluster-a"}) == ()


def test_the_providers_of_what_there_is_are_known_by_their_aliases() -> None:
    assert state.aliases(MESH) == ("eu-west-1", "us-east-1", "us-west-2")
    assert state.aliases(b"") == ()


def test_a_stack_is_in_the_region_that_most_of_its_arns_name() -> None:
    arns = ["arn:aws:ec2:eu-west-1:1:vpc/a", "arn:aws:ec2:eu-west-1:1:subnet/b"]
    arns += ["arn:aws:iam::1:role/c", "arn:aws-us-gov:s3:us-gov-west-1:1:d", "no arn at all"]
    resources = [{"mode": "managed", "instances": [{"attributes": {"arn": arn}}]} for arn in arns]
    assert state.region(json.dumps({"resources": resources}).encode()) == "eu-west-1"
    assert state.region(b"{}") == ""
