"""Which images a bake is about."""

from pathlib import Path

import pytest

from orchestrate.baking.choose import by_name, with_parents
from orchestrate.errors import OrchestrateError
from orchestrate.fleet.load import load
from orchestrate.fleet.models import BakedImage, FleetFile

FILE = load(Path(__file__).parents[2] / "golden" / "example" / "fleet").file


def fleet(**parents: str) -> FleetFile:
    baked = {name.replace("_", "-"): BakedImage(parent=parent) for name, parent in parents.items()}
    return FILE.model_copy(update={"baked": baked})


SOME = fleet(base="debian-12", ssh_node="base", cpu="base", trainer="cpu", other="debian-12")


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        (["base"], ["base"]),
        (["ssh_node"], ["base", "ssh-node"]),
        (["trainer", "base"], ["base", "cpu", "trainer"]),
        (["other", "trainer", "ssh-node"], ["base", "other", "cpu", "ssh-node", "trainer"]),
    ],
)
def test_parents_come_along_and_before_what_is_made_from_them(
    asked: list[str], order: list[str]
) -> None:
    assert with_parents(SOME, by_name(SOME, asked, everything=False)) == order


def test_all_are_all() -> None:
    assert set(by_name(SOME, [], everything=True)) == set(SOME.baked)


def test_every_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(OrchestrateError) as refused:
        by_name(SOME, ["bse", "traner"], everything=False)
    assert "no image 'bse'; did you mean" in str(refused.value)
    assert "no image 'traner'" in str(refused.value)


@pytest.mark.parametrize(
    ("file", "words", "everything"),
    [(SOME, [], False), (SOME, ["base"], True), (fleet(), [], True)],
)
def test_a_bake_of_nothing_in_particular_is_refused(
    file: FleetFile, words: list[str], everything: bool
) -> None:
    with pytest.raises(OrchestrateError):
        by_name(file, words, everything=everything)
