"""What the catalogue says, what changes it, and the file it is in."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrate.errors import InvalidInput, OrchestrateError
from orchestrate.images import catalogue as catalogues
from orchestrate.images import catalogue_file, grammar
from orchestrate.images.catalogue import Build, Catalogue, current, promoted, recorded, without
from tests.hostile import HOSTILE
from tests.unit.images.builds import build

WEST, EAST = "us-west-2", "us-east-1"
FIRST = build("base-20261101-0000-aaaaaa", regions={WEST: "ami-0a", EAST: "ami-0b"})
SECOND = build("base-20261102-0000-bbbbbb", regions={WEST: "ami-0c"})
BOTH = recorded(recorded(Catalogue(), "base", FIRST), "base", SECOND)


def test_an_image_never_promoted_has_no_current_build() -> None:
    assert current(Catalogue(), "base") is None
    assert current(BOTH, "base") is None


def test_promoting_remembers_the_build_before() -> None:
    once = promoted(BOTH, "base", FIRST.id, [WEST, EAST])
    twice = promoted(once, "base", SECOND.id, [WEST])
    assert current(twice, "base") == SECOND
    assert twice.shelf("base").previous == FIRST.id
    assert promoted(twice, "base", SECOND.id, [WEST]) == twice


def test_s14_a_build_that_a_region_lacks_is_not_promoted() -> None:
    with pytest.raises(OrchestrateError, match="missing in us-east-1"):
        promoted(BOTH, "base", SECOND.id, [WEST, EAST])


def test_a_build_nobody_knows_is_not_promoted() -> None:
    with pytest.raises(OrchestrateError, match="there are: base-20261101"):
        promoted(BOTH, "base", "base-1", [])


def test_a_build_that_goes_is_neither_current_nor_previous() -> None:
    both = promoted(promoted(BOTH, "base", FIRST.id, []), "base", SECOND.id, [])
    left = without(both, "base", [FIRST.id])
    assert left.shelf("base").previous == ""
    assert current(left, "base") == SECOND
    assert without(left, "base", [SECOND.id]) == Catalogue()


def test_the_latest_build_is_the_one_made_last() -> None:
    assert BOTH.shelf("base").latest == SECOND
    assert catalogues.find(BOTH, FIRST.id) == "base"
    assert catalogues.find(BOTH, "other") == ""


def test_what_is_written_is_read_the_same() -> None:
    dirty = replace(FIRST, commit="1234567", dirty=True)
    all_of_it = promoted(recorded(BOTH, "base", dirty), "base", dirty.id, [])
    assert grammar.parse(grammar.write(all_of_it), "f") == all_of_it
    assert grammar.parse(grammar.write(Catalogue()), "f") == Catalogue()


def test_a_commit_of_digits_only_stays_text() -> None:
    """YAML would read 0123 as a number, and 1e5 as another."""
    odd = recorded(Catalogue(), "base", replace(FIRST, commit="0012345", cookbooks="1" * 64))
    assert grammar.parse(grammar.write(odd), "f") == odd


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("images:", "<<<<<<< ours\nimages:", 5, "merge markers"),
        ("version: 1", "version: 2", 3, "version 2"),
        ("        parent: ami-0parent0\n", "", 10, "'parent' is missing"),
        ("role: base", "role: base\n        roll: x", 11, "unknown key 'roll'"),
        ("us-west-2: ami-0a", "us-west-2: nonsense", 19, "an AMI id"),
        ("us-west-2: ami-0a", "us-east-1: ami-0a", 19, "stands here twice"),
        ("current: base-20261101-0000-aaaaaa", "current: gone", 7, "no build 'gone'"),
        ("2026-11-01T00:00:00Z", "2026-13-01T00:00:00Z", 14, "no time"),
        ("    builds:", "    builds: [", 0, ""),
    ],
)
def test_a_corrupt_catalogue_is_refused_with_its_line(
    old: str, new: str, line: int, what: str
) -> None:
    text = grammar.write(promoted(recorded(Catalogue(), "base", FIRST), "base", FIRST.id, []))
    assert old in text
    with pytest.raises(InvalidInput) as refused:
        grammar.parse(text.replace(old, new, 1), "fleet/images.lock.yaml")
    found = refused.value.findings[0]
    assert what in found.what
    assert line in (0, found.place.line), str(found)


def test_all_findings_are_told_at_once() -> None:
    text = grammar.write(BOTH).replace("role: base", "rule: base")
    with pytest.raises(InvalidInput) as refused:
        grammar.parse(text, "f")
    assert len(refused.value.findings) == 4


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_aws_calls_things_is_written_as_text_or_not_at_all(text: str) -> None:
    odd = [replace(FIRST, id=text), replace(FIRST, parent=text), replace(FIRST, root_device=text)]
    for one in [
        *odd,
        replace(FIRST, regions={WEST: text}),
        replace(FIRST, regions={text: "ami-0a"}),
    ]:
        try:
            written = grammar.write(recorded(Catalogue(), "base", one))
        except OrchestrateError as refused:
            assert "can't hold" in refused.what
            assert refused.what.isprintable()
            continue
        # Read again it is what it was, or is refused; never something else.
        try:
            assert grammar.parse(written, "f") == recorded(Catalogue(), "base", one)
        except InvalidInput as refused:
            assert refused.findings


def test_no_file_is_an_empty_catalogue_and_a_change_makes_one(tmp_path: Path) -> None:
    path = catalogue_file.path_of(tmp_path, "lab")
    assert catalogue_file.read(path) == Catalogue()
    catalogue_file.update(path, lambda now: recorded(now, "base", FIRST))
    assert catalogue_file.update(path, lambda now: recorded(now, "base", SECOND)) == BOTH
    assert catalogue_file.read(path) == BOTH


def test_a_change_that_fails_leaves_the_file(tmp_path: Path) -> None:
    path = catalogue_file.path_of(tmp_path, "aws")
    catalogue_file.update(path, lambda now: recorded(now, "base", FIRST))
    with pytest.raises(OrchestrateError):
        catalogue_file.update(path, lambda now: promoted(now, "base", "gone", []))
    assert catalogue_file.read(path).shelf("base").latest == FIRST
    assert path == tmp_path / "fleet" / "images.lock.yaml"


def test_a_build_is_plain_data() -> None:
    assert isinstance(FIRST, Build)
    assert FIRST.built == datetime(2026, 11, 1, tzinfo=UTC)
