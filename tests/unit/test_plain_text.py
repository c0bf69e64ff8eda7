"""What others wrote, as a terminal may have it."""

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.findings import Finding, Place
from orchestrate.plain_text import LONGEST, is_word, shown, visible_lines
from tests.hostile import HOSTILE

STRANGE = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


@STRANGE
def test_whatever_it_is_it_becomes_one_line_of_a_fair_length_that_can_be_seen(text: str) -> None:
    assert shown(text).isprintable()
    assert len(shown(text)) <= LONGEST


@STRANGE
def test_of_lines_nothing_is_left_but_their_breaks_and_tabs(text: str) -> None:
    said = visible_lines(text)
    assert said.replace("\n", "").replace("\t", "").isprintable()
    assert said.encode().decode() == said
    if text.isprintable():
        assert said == text


@STRANGE
def test_errors_and_findings_are_made_of_such_text(text: str) -> None:
    error = OrchestrateError(text, where=text, fix=text)
    assert str(error).replace("\n", "").replace("\t", "").isprintable()
    finding = Finding(Place(text), text, text)
    assert str(finding).replace("\n    fix: ", "").isprintable()


def test_a_control_character_is_spelled_as_in_a_string() -> None:
    assert shown("a\x1b[2J\nb\u202ec\ud800") == r"a\x1b[2J\nb\u202ec\ud800"
    assert visible_lines("a\r\nb\rc") == "a\nb\\rc"


@pytest.mark.parametrize("text", ["cpu", "gpu-a100", "a" * 63])
def test_a_word(text: str) -> None:
    assert is_word(text)


@pytest.mark.parametrize(
    "text", ["", "a" * 64, "cpu\n", "-a", "a-", "a--b", "1a", "a_b", "ä", "a.b"]
)
def test_no_word(text: str) -> None:
    assert not is_word(text)
