"""Which stacks a run touches."""

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.runs import choose

AFTER = {
    "global": frozenset[str](),
    "cluster-a": frozenset({"global"}),
    "cluster-b": frozenset({"global"}),
    "mesh": frozenset({"global", "cluster-a", "cluster-b"}),
}


def test_an_apply_brings_along_what_a_stack_needs_but_not_what_needs_it() -> None:
    assert choose.with_needed({"cluster-a"}, AFTER) == {"cluster-a", "global"}


def test_all_names_every_stack() -> None:
    assert choose.named((), True, AFTER) == set(AFTER)


@pytest.mark.parametrize(
    ("targets", "everything", "says"),
    [
        (("clutser-a",), False, "no stack 'clutser-a' (did you mean 'cluster-a'?)"),
        (("clutser-a", "xyz"), False, "did you mean 'cluster-a'?), 'xyz'"),
        ((), False, "no stack named"),
        (("mesh",), True, "exclude each other"),
    ],
)
def test_wrong_targets_are_all_reported_with_the_nearest_names(
    targets: tuple[str, ...], everything: bool, says: str
) -> None:
    with pytest.raises(OrchestrateError) as error:
        choose.named(targets, everything, AFTER)
    assert says in str(error.value)


def test_s7_a_shared_stack_with_living_dependents_is_not_destroyed() -> None:
    alive = {"global", "cluster-a", "mesh"}
    with pytest.raises(choose.LivingDependents) as error:
        choose.refuse_orphans({"global"}, alive, AFTER)
    assert "global is needed by cluster-a, mesh" in str(error.value)
    assert "destroy cluster-a mesh first" in str(error.value)


@pytest.mark.parametrize(
    ("names", "alive"),
    [
        ({"mesh"}, set(AFTER)),
        (set(AFTER), set(AFTER)),
        ({"cluster-a"}, {"cluster-a", "global"}),
        ({"global"}, {"global"}),
        ({"global"}, set[str]()),
    ],
)
def test_s7_a_stack_nobody_alive_needs_may_go(names: set[str], alive: set[str]) -> None:
    choose.refuse_orphans(names, alive, AFTER)


def test_destroying_runs_dependents_first() -> None:
    backwards = choose.reversed_order(choose.inside({"global", "cluster-a", "mesh"}, AFTER))
    assert backwards == {
        "global": {"cluster-a", "mesh"},
        "cluster-a": {"mesh"},
        "mesh": set(),
    }
