"""What a value without quotes means, or that it means two things."""

import pytest
import yaml

from orchestrate.fleet import document
from orchestrate.fleet.scalars import Ambiguous, meaning


def read(typed: str) -> object:
    root = yaml.compose(f"key: {typed}\n", Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    return meaning(root.value[0][1])


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("8", 8),
        ("+8", 8),
        ("-8", -8),
        ("0", 0),
        ("0x10", 16),
        ("1.5", 1.5),
        ("1.5e+3", 1500.0),
        (".inf", float("inf")),
        ("true", True),
        ("FALSE", False),
        ("", None),
        ("~", None),
        ("Null", None),
        ("'010'", "010"),
        ('"1:30"', "1:30"),
        ("'yes'", "yes"),
        ("y", "y"),
        ("tRue", "tRue"),
        ("2026-11-29", "2026-11-29"),
        ("1.2.3", "1.2.3"),
        ("10.0.0.0/16", "10.0.0.0/16"),
        ("=", "="),
        ("<<", "<<"),
    ],
)
def test_what_all_read_the_same_is_that(typed: str, value: object) -> None:
    found = read(typed)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("010", "10"),
        ("08", "8"),
        ("-010", "-10"),
        ("00", "0"),
        ("1:30", "90"),
        ("12:30:00", "45000"),
        ("1_000", "1000"),
        ("0o10", "8"),
        ("0b11", "3"),
        ("-0x10", "-16"),
        ("1e3", "1000"),
        ("1.5e3", "1500"),
        ("yes", "true"),
        ("NO", "false"),
        ("on", "true"),
        ("Off", "false"),
    ],
)
def test_what_two_readers_read_differently_is_refused_with_both_ways_out(
    typed: str, meant: str
) -> None:
    found = read(typed)
    assert isinstance(found, Ambiguous)
    assert found.fix == f'write {meant}, or "{typed}" in quotes if it is a text'
    # ... and each way out is one.
    assert not isinstance(read(meant), Ambiguous)
    assert read(f'"{typed}"') == typed


@pytest.mark.parametrize(
    "typed", ["!!int '8'", "!!bool 'x'", "!!binary aGk=", "!!python/none", "!mine x"]
)
def test_a_tag_is_refused(typed: str) -> None:
    assert isinstance(read(typed), Ambiguous)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("x: &x {p: 1}\n<<: *x\n<<: *x\n", 3, "'<<' appears twice; the first is on line 2"),
        ("a: 1\n<<: 3\n", 2, "'<<' takes keys from mappings only"),
        ("a: {<<: [1, {p: 2}]}\n", 1, "'<<' takes keys from mappings only"),
        ("a: 1\n\ufeffb: 2\n", 2, "an invisible character (U+FEFF)"),
        ("# a\x85b: 2\na: 1\n", 1, "an invisible character (U+0085)"),
    ],
)
def test_what_would_be_passed_over_in_silence_is_a_finding(text: str, line: int, what: str) -> None:
    found = document.read(text, "f.yaml").findings
    assert [(one.place.line, one.what) for one in found] == [(line, what)]


def test_a_byte_order_mark_begins_a_file_and_changes_nothing() -> None:
    assert document.read("\ufeffa: 1\n", "f.yaml").data == {"a": 1}
