"""By which names hosts reach the AWS API, and which stay what they were."""

from ipaddress import IPv4Address

import pytest

from orchestrate.lab.api_names import zones
from orchestrate.lab.names import Names, Records, Zone, look_up

DOOR = IPv4Address("198.18.0.3")
HOST = "ec2-198-18-0-10.us-west-2.compute.amazonaws.com."
OTHERS = Zone("amazonaws.com.", {(HOST, "A"): Records(("198.18.0.10",))})
NAMES = Names(public=[OTHERS, *zones(DOOR, ["us-west-2"])])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("ec2.us-west-2.amazonaws.com.", ("198.18.0.3",)),
        ("models.s3.us-west-2.amazonaws.com.", ("198.18.0.3",)),
        ("iam.amazonaws.com.", ("198.18.0.3",)),
        ("models.s3.amazonaws.com.", ("198.18.0.3",)),
        (HOST, ("198.18.0.10",)),
    ],
)
def test_services_lead_to_the_door_and_instances_to_themselves(
    name: str, values: tuple[str, ...]
) -> None:
    (_, _, records), *_ = look_up(name, "A", NAMES).records
    assert records.values == values


def test_regions_that_aws_does_not_have_are_not_there() -> None:
    assert not look_up("ec2.mars-north-1.amazonaws.com.", "A", NAMES).exists
