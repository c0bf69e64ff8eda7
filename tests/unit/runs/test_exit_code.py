"""The exit code of a run, whatever the order of its stacks (S5)."""

from itertools import permutations

import pytest

from orchestrate.runs.exit_code import exit_code
from orchestrate.runs.schedule import Outcome


@pytest.mark.parametrize(
    ("outcomes", "changes", "code"),
    [
        ([], False, 0),
        ([Outcome.DONE], False, 0),
        ([Outcome.DONE], True, 2),
        ([Outcome.DONE, Outcome.FAILED], True, 1),
        ([Outcome.DONE, Outcome.FAILED, Outcome.SKIPPED], False, 1),
        ([Outcome.DONE, Outcome.INTERRUPTED, Outcome.NOT_STARTED], True, 130),
        ([Outcome.DONE, Outcome.FAILED, Outcome.INTERRUPTED], False, 130),
        ([Outcome.NOT_STARTED], False, 130),
    ],
)
def test_s5_an_interrupt_beats_an_error_beats_changes_beats_clean(
    outcomes: list[Outcome], changes: bool, code: int
) -> None:
    orders = permutations(outcomes)
    assert {exit_code(order, changes=changes) for order in orders} == {code}


def test_s5_how_many_there_are_of_each_does_not_matter() -> None:
    assert exit_code([Outcome.FAILED] + [Outcome.DONE] * 99, changes=True) == 1
    assert exit_code([Outcome.DONE] * 99 + [Outcome.FAILED] * 99) == 1
