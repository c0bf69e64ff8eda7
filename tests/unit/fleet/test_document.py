"""YAML as data that knows its lines."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrate.findings import Place
from orchestrate.fleet.document import read

TEXT = """\
# a comment first
name: lab
groups:
  cpu: {max: 8}
  gpu:
    max: 64
    zones:
      - a
      - b
"""

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc: #'\"\n-é", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc-", min_size=1, max_size=6), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("groups",), 3),
        (("groups", "cpu", "max"), 4),
        (("groups", "gpu"), 5),
        (("groups", "gpu", "zones", 1), 9),
        ((), 2),
    ],
)
def test_a_path_has_the_line_of_its_key_or_item(path: tuple[str | int, ...], line: int) -> None:
    assert read(TEXT, "f.yaml").place(*path) == Place("f.yaml", line)


@pytest.mark.parametrize(
    ("path", "line"),
    [(("groups", "gpu", "min"), 5), (("groups", "tpu", "max"), 3), (("name", "x"), 2)],
)
def test_what_is_not_there_has_the_line_of_what_is_around_it(
    path: tuple[str | int, ...], line: int
) -> None:
    assert read(TEXT, "f.yaml").place(*path).line == line


def test_what_was_typed_is_kept_as_it_was() -> None:
    document = read("a: 0x1F\nb: 'yes'\nc: 1_000\n", "f.yaml")
    assert [document.typed(key) for key in "abc"] == ["0x1F", "yes", "1_000"]


def test_keys_and_dates_are_text() -> None:
    assert read("on: 1\n2: a\nday: 2026-11-29\n", "f.yaml").data == {
        "on": 1,
        "2": "a",
        "day": "2026-11-29",
    }


def test_a_merge_key_gives_defaults_and_their_lines() -> None:
    document = read("x: &x {p: 1, q: 2}\ny:\n  <<: *x\n  q: 3\n", "f.yaml")
    assert document.data == {"x": {"p": 1, "q": 2}, "y": {"p": 1, "q": 3}}
    assert document.place("y", "p").line == 1
    assert document.place("y", "q").line == 4


def test_an_alias_to_what_it_is_part_of_is_a_finding() -> None:
    assert "refers to what it is part of" in read("a: &x [*x]\n", "f.yaml").findings[0].what


def test_aliases_of_aliases_take_no_time() -> None:
    """Two to the power of sixty lists, if each alias were written out."""
    levels = [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 61)]
    document = read("\n".join(["a0: &a0 [x]", *levels]), "f.yaml")
    assert document.data is not None
    assert document.place("a60", 1, 0).line == 59


@given(st.dictionaries(st.text("abc-", min_size=1, max_size=6), plain, min_size=1, max_size=4))
def test_what_was_written_is_read(data: dict[str, object]) -> None:
    document = read(yaml.safe_dump(data, allow_unicode=True), "f.yaml")
    assert document.findings == ()
    assert document.data == data


@given(st.text("ab:{}[]-'\"#&*!|>%@`\t\n\r ,?<=é\x00", max_size=60))
def test_no_text_raises_and_what_has_no_data_says_why(text: str) -> None:
    document = read(text, "f.yaml")
    assert document.data is not None or document.findings
    assert all(found.place.file == "f.yaml" and found.fix for found in document.findings)
