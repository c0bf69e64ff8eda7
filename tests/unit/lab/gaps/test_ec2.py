"""What a launch template's data becomes, and which volumes an instance starts with."""

from typing import Any

import pytest

from orchestrate.lab.gaps.ec2 import IMAGE_GB, block_devices, from_template

ROOT = "/dev/xvda"


def test_an_empty_template_says_nothing() -> None:
    assert from_template({}) == {}


def test_a_template_speaks_moto_s_options() -> None:
    template = {
        "MetadataOptions": {"HttpTokens": "required"},
        "Monitoring": {"Enabled": True},
        "InstanceMarketOptions": {"MarketType": "spot"},
        "NetworkInterfaces": [{"DeviceIndex": 0, "AssociatePublicIpAddress": True}],
    }

    assert from_template(template) == {
        "metadata_options": {"HttpTokens": "required"},
        "monitoring_state": "enabled",
        "instance_market_options": "spot",
        "nics": [{"DeviceIndex": 0, "AssociatePublicIpAddress": True}],
    }


@pytest.mark.parametrize(
    ("mappings", "names_and_fate"),
    [
        ([], [(ROOT, True)]),
        ([{"DeviceName": ROOT, "Ebs": {"VolumeSize": 50}}], [(ROOT, True)]),
        ([{"DeviceName": ROOT, "Ebs": {"DeleteOnTermination": False}}], [(ROOT, False)]),
        ([{"DeviceName": "/dev/sdf", "Ebs": {}}], [(ROOT, True), ("/dev/sdf", False)]),
        ([{"DeviceName": "/dev/sdb", "VirtualName": "ephemeral0"}], [(ROOT, True)]),
    ],
)
def test_there_is_always_a_root_volume_and_it_goes_with_its_instance(
    mappings: list[dict[str, Any]], names_and_fate: list[tuple[str, bool]]
) -> None:
    found = block_devices(mappings, ROOT)

    assert [(one["DeviceName"], one["Ebs"].get("DeleteOnTermination", False)) for one in found] == (
        names_and_fate
    )


def test_a_root_volume_without_a_size_has_the_image_s() -> None:
    (root,) = block_devices([{"DeviceName": ROOT, "Ebs": {"Encrypted": True}}], ROOT)

    assert root["Ebs"]["VolumeSize"] == IMAGE_GB
    assert root["Ebs"]["Encrypted"] is True


def test_the_caller_s_mappings_are_left_as_they_were() -> None:
    mapping: dict[str, Any] = {"DeviceName": ROOT, "Ebs": {"VolumeSize": 50}}

    block_devices([mapping], ROOT)

    assert mapping == {"DeviceName": ROOT, "Ebs": {"VolumeSize": 50}}
