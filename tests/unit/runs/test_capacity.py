import pytest

from orchestrate.runs.capacity import available_bytes, cores, headroom, slots

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


@pytest.mark.parametrize(
    "kinds", ["anon 5\ninactive_file 700\n", "inactive_file 1\ntotal_inactive_file 700\n"]
)
def test_file_pages_nobody_reads_are_room_in_a_container(kinds: str) -> None:
    assert headroom("1000\n", "900\n", kinds) == 800


def test_a_container_without_a_limit_says_so() -> None:
    with pytest.raises(ValueError, match="max"):
        headroom("max\n", "900\n", "")


def test_this_machine_has_cores_and_memory() -> None:
    assert cores() >= 1
    assert 0 < available_bytes() < 2**50
