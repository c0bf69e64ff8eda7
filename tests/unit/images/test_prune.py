"""S15: what may be removed, and what never."""

from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrate.images.catalogue import Catalogue, promoted, recorded
from orchestrate.images.prune import decide
from tests.unit.images.builds import build

# Five builds of base, a day apart, b1 the oldest; the AMI of b<n> is ami-0<n>.
BASES = [
    build(f"base-2026110{day}-0000-aaaaaa", regions={"us-west-2": f"ami-0{day}"})
    for day in range(1, 6)
]


def catalogue(*, promote: tuple[int, ...]) -> Catalogue:
    made = Catalogue()
    for one in BASES:
        made = recorded(made, "base", one)
    for day in promote:
        made = promoted(made, "base", BASES[day - 1].id, [])
    return made


def days(made: Catalogue, **options: Any) -> list[int]:
    """The days whose builds of base go."""
    verdicts = decide(made, options.pop("uses", {}), **options)
    return [one.build.built.day for one in verdicts if one.goes and one.image == "base"]


@pytest.mark.parametrize(
    ("promote", "options", "gone"),
    [
        pytest.param((4, 5), {"keep": 2}, [1, 2, 3], id="the newest stay"),
        pytest.param((4, 5), {"keep": 9}, [], id="all stay where there are fewer"),
        pytest.param((4, 5), {"keep": 1}, [1, 2, 3], id="what a rollback goes to stays"),
        pytest.param((5, 1), {"keep": 1}, [2, 3, 4], id="after a rollback both stay"),
        pytest.param((), {"keep": 1}, [1, 2, 3, 4], id="never promoted, the last one stays"),
        pytest.param((1,), {"keep": 0}, [2, 3, 4], id="the current and the last good one stay"),
        pytest.param(
            (4, 5), {"keep": 1, "uses": {"ami-02": ("group cpu",)}}, [1, 3], id="what is used stays"
        ),
        pytest.param(
            (4, 5),
            {"keep": 1, "newer_than": datetime(2026, 11, 3, tzinfo=UTC)},
            [1, 2],
            id="what is young stays",
        ),
    ],
)
def test_s15_what_goes(promote: tuple[int, ...], options: dict[str, Any], gone: list[int]) -> None:
    assert days(catalogue(promote=promote), **options) == gone


def test_s15_a_use_in_any_region_keeps_the_build_and_is_told() -> None:
    twice = build(
        "base-20261101-0000-aaaaaa", regions={"us-west-2": "ami-01", "eu-west-1": "ami-0e"}
    )
    made = recorded(catalogue(promote=(4, 5)), "base", twice)
    verdicts = decide(made, {"ami-0e": ("instance i-1", "group cpu")}, keep=1)
    assert verdicts[0].kept_for == ("instance i-1", "group cpu")


def test_what_a_kept_build_was_made_from_stays() -> None:
    made = catalogue(promote=(4, 5))
    middle = build("node-20261101-0000-bbbbbb", parent=BASES[0].id)
    child = build("gpu-20261101-0000-cccccc", parent=middle.id)
    made = recorded(recorded(made, "node", middle), "gpu", child)
    assert days(made, keep=1) == [2, 3]
    kept = {one.build.id: one.kept_for for one in decide(made, {}, keep=1)}
    assert kept[BASES[0].id] == (f"{middle.id} was made from it",)
