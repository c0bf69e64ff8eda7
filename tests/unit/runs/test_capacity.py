import pytest

from orchestrate.runs.capacity import available_bytes, cores, slots

GB = 1_000_000_000


@pytest.mark.parametrize(
    ("cores", "available", "expected"),
    [
        (2, 24 * GB, 3),
        (16, 64 * GB, 17),
        (16, 4 * GB, 4),
        (2, GB, 1),
        (1, 0, 1),
        (2, 2_100_000_000, 2),
    ],
)
def test_one_more_than_cores_as_far_as_memory_goes(
    cores: int, available: int, expected: int
) -> None:
    assert slots(cores, available) == expected


def test_this_machine_has_cores_and_memory() -> None:
    assert cores() >= 1
    assert 0 < available_bytes() < 2**50
