"""What can be told of a name while nobody can be asked which hosts there are."""

from pathlib import Path

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.fleet.load import load
from orchestrate.hosts.expected import refuse_unknown

FLEET = load(Path(__file__).parents[2] / "golden" / "example" / "fleet")


@pytest.mark.parametrize(
    "word",
    [
        "cluster-us-west",
        "site-sf",
        "gpu-worker",
        "cpu",
        "cpu.cluster-us-west",
        "cpu-5ee8c4.cluster-us-west",
        "cpu-*.cluster-us-west",
        "*.cluster-us-west",
        "cpu-*",
        "bastion.cluster-us-west",
        "sf-gw1.site-sf",
        "i-0123456789abcdef0",
    ],
)
def test_what_may_exist_is_not_judged(word: str) -> None:
    refuse_unknown(FLEET, [word])


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("cluster-us-wst", "did you mean cluster-us-west"),
        ("bastion.cluster-us-wst", "bastion.cluster-us-west"),
        ("cpu-5ee8c4.cluster-us-wst", "cluster-us-west"),
        ("gpu-wroker", "gpu-worker"),
        ("sf-gw9.site-sf", "sf-gw1.site-sf"),
    ],
)
def test_what_no_fleet_of_these_files_has_is_refused_with_the_nearest(word: str, near: str) -> None:
    with pytest.raises(OrchestrateError) as refused:
        refuse_unknown(FLEET, ["site-sf", word])
    assert f"'{word}'" in str(refused.value)
    assert near in str(refused.value)


def test_no_words_are_no_mistake() -> None:
    refuse_unknown(FLEET, [])
