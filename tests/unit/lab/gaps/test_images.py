"""The vendors' images: names as the vendors write them, ids that never change."""

from datetime import UTC, datetime

import pytest

from orchestrate.lab.gaps.images import VENDOR_IMAGES, image_id, published


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("debian-12-amd64-20250814-2204", (2025, 8, 14)),
        ("ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20250822", (2025, 8, 22)),
    ],
)
def test_the_day_is_read_from_the_name(name: str, day: tuple[int, int, int]) -> None:
    assert published(name) == datetime(*day, tzinfo=UTC)


def test_ids_are_well_formed_and_differ_by_region_and_name() -> None:
    regions = ("us-west-2", "us-east-1", "eu-west-1")
    ids = {image_id(region, name) for region in regions for _, name, _ in VENDOR_IMAGES}

    assert len(ids) == len(regions) * len(VENDOR_IMAGES)
    assert all(len(one) == len("ami-") + 17 for one in ids)
