"""States that are none: named as that, and no reason to give up on other stacks."""

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.terraform import outputs, state

CASES = {
    "cut off": b'{"version": 4, "resources": [',
    "a page of HTML": b"<html>",
    "no UTF-8": b"\xff\xfe{}",
    "a list": b"[1, 2]",
    "a resource without instances": b'{"resources": [{"mode": "managed"}]}',
    "a serial that is no number": b'{"serial": "many"}',
    "resources that are a number": b'{"resources": 3}',
}


@pytest.mark.parametrize("content", CASES.values(), ids=list(CASES))
def test_it_counts_as_alive_tells_nothing_and_is_refused_with_the_way_back(content: bytes) -> None:
    assert state.is_alive(content)
    assert state.output_names(content) == frozenset()
    for reads in (state.count_resources, state.position, outputs.from_state):
        with pytest.raises(OrchestrateError, match="state cannot be read") as refused:
            reads(content)
        assert "older version" in refused.value.fix


@pytest.mark.parametrize("content", [None, b"", b" \n", b"{}"])
def test_no_state_is_none_to_worry_about(content: bytes | None) -> None:
    assert not state.is_alive(content)
    assert state.position(content) == state.NOTHING
