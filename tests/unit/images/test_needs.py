"""What has to be baked."""

from dataclasses import replace

import pytest

from orchestrate.images.catalogue import Catalogue, promoted, recorded
from orchestrate.images.needs import Bake, Earlier, Finish, Nothing, Reuse, Wanted, decide
from tests.unit.images.builds import build

WEST, EAST = "us-west-2", "us-east-1"
OLD = build("base-20261101-0000-aaaaaa", parent="ami-0d")
BASE = build("base-20261102-0000-bbbbbb", parent="ami-0d")
NODE = build("node-20261103-0000-cccccc", parent=BASE.id)
ALL = {
    "base": Wanted("ami-0d", False, "c" * 64, frozenset({WEST})),
    "node": Wanted("base", True, "c" * 64, frozenset({WEST})),
}


def catalogue() -> Catalogue:
    """Two builds of base and one of node, the newest of each promoted."""
    made = Catalogue()
    for image, one in (("base", OLD), ("base", BASE), ("node", NODE)):
        made = promoted(recorded(made, image, one), image, one.id, [])
    return made


def whys(made: Catalogue, wanted: dict[str, Wanted], *forced: str) -> dict[str, str]:
    """Why each image is baked, of those that are."""
    steps = decide(made, wanted, forced)
    return {image: step.why for image, step in steps.items() if isinstance(step, Bake)}


def test_what_was_never_baked_is_baked() -> None:
    assert whys(Catalogue(), ALL) == {"base": "never baked", "node": "never baked"}


def test_nothing_changed_means_nothing_to_do() -> None:
    steps = decide(catalogue(), ALL)
    assert steps == {
        "base": Nothing(BASE, "neither its parent nor its cookbooks changed"),
        "node": Nothing(NODE, "neither its parent nor its cookbooks changed"),
    }


@pytest.mark.parametrize(
    ("changed", "forced", "baked"),
    [
        ({"node": {"cookbooks": "d" * 64}}, (), {"node": "its cookbooks changed"}),
        (
            {"base": {"cookbooks": "d" * 64}},
            (),
            {"base": "its cookbooks changed", "node": "base is baked anew"},
        ),
        (
            {"base": {"parent": "ami-0e"}},
            (),
            {"base": "the vendor has a newer ami-0e", "node": "base is baked anew"},
        ),
        ({}, ("node",), {"node": "asked for"}),
        ({}, ("base",), {"base": "asked for", "node": "base is baked anew"}),
    ],
)
def test_a_change_bakes_the_image_and_what_is_made_from_it(
    changed: dict[str, dict[str, str]], forced: tuple[str, ...], baked: dict[str, str]
) -> None:
    wanted = {
        image: replace(want, **changed.get(image, {}))  # type: ignore[arg-type]
        for image, want in ALL.items()
    }
    assert whys(catalogue(), wanted, *forced) == baked


def test_an_image_whose_parent_was_baked_without_it_is_baked() -> None:
    newer = build("base-20261104-0000-dddddd", parent="ami-0d")
    made = promoted(recorded(catalogue(), "base", newer), "base", newer.id, [])
    assert whys(made, ALL) == {"node": "base was baked anew"}


def test_s14_a_region_that_lacks_the_image_is_all_there_is_to_do() -> None:
    wanted = {"base": replace(ALL["base"], regions=frozenset({WEST, EAST}))}
    assert decide(catalogue(), wanted) == {"base": Finish(BASE, (EAST,))}


def test_a_build_that_was_never_promoted_is_finished() -> None:
    made = recorded(
        catalogue(), "base", newer := build("base-20261104-0000-dddddd", parent="ami-0d")
    )
    assert decide(made, {"base": ALL["base"]}) == {"base": Finish(newer, ())}


def test_after_a_rollback_the_bad_build_is_neither_promoted_nor_baked_again() -> None:
    made = promoted(catalogue(), "base", OLD.id, [])
    steps = decide(made, {"base": ALL["base"]})
    assert steps == {
        "base": Nothing(OLD, f"nothing changed since {BASE.id}, which was rolled back")
    }


def test_after_a_rollback_a_new_region_gets_the_build_in_use() -> None:
    made = promoted(catalogue(), "base", OLD.id, [])
    wanted = {"base": replace(ALL["base"], regions=frozenset({WEST, EAST}))}
    assert decide(made, wanted) == {"base": Finish(OLD, (EAST,), held_back=True)}
    assert decide(made, {**wanted, "node": ALL["node"]})["node"] == Bake("base was baked anew")


def test_after_a_rollback_changed_cookbooks_are_baked() -> None:
    made = promoted(catalogue(), "base", OLD.id, [])
    assert whys(made, {"base": replace(ALL["base"], cookbooks="d" * 64)}) == {
        "base": "its cookbooks changed"
    }


def test_what_was_baked_of_the_same_before_is_taken_up() -> None:
    found = {"base": [Earlier(BASE, "")], "node": [Earlier(NODE, "")]}
    assert decide(Catalogue(), ALL, (), found) == {
        "base": Reuse(BASE, "never baked"),
        "node": Reuse(NODE, "never baked"),
    }


def test_of_several_the_newest_is_taken_up() -> None:
    found = {"base": [Earlier(BASE, ""), Earlier(OLD, "")]}
    assert decide(Catalogue(), {"base": ALL["base"]}, (), found) == {
        "base": Reuse(BASE, "never baked")
    }


@pytest.mark.parametrize(
    "changed", [{"cookbooks": "d" * 64}, {"recipe": "other"}, {"parent": "ami-0e"}]
)
def test_what_was_baked_of_something_else_is_not_taken_up(changed: dict[str, str]) -> None:
    wanted = {**ALL, "base": replace(ALL["base"], **changed)}  # type: ignore[arg-type]
    found = {"base": [Earlier(BASE, "")], "node": [Earlier(NODE, "")]}
    steps = decide(Catalogue(), wanted, (), found)
    assert isinstance(steps["base"], Bake)
    assert isinstance(steps["node"], Bake)


def test_a_child_is_taken_up_only_with_the_parent_it_was_made_from() -> None:
    found = {"node": [Earlier(NODE, "")]}
    other = build("base-20261104-0000-dddddd", parent="ami-0d")
    made = promoted(recorded(Catalogue(), "base", other), "base", other.id, [])
    assert decide(made, ALL, (), found)["node"] == Bake("never baked")


def test_what_is_asked_for_is_baked_though_it_was_before() -> None:
    found = {"base": [Earlier(BASE, "")], "node": [Earlier(NODE, "")]}
    assert decide(Catalogue(), ALL, ("base",), found) == {
        "base": Bake("asked for"),
        "node": Bake("never baked"),
    }
    assert decide(Catalogue(), ALL, ("node",), found) == {
        "base": Reuse(BASE, "never baked"),
        "node": Bake("asked for"),
    }


def test_what_the_catalogue_has_needs_nothing_that_was_before() -> None:
    found = {"base": [Earlier(BASE, "")]}
    assert isinstance(decide(catalogue(), ALL, (), found)["base"], Nothing)
