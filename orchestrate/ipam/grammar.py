"""The ledger's text: a strict and simple form of YAML, one line for each range. Pure.

One line each, in one order, so that git merges two branches' ranges line by line. The lines are
matched with expressions rather than loaded as YAML: it is several times quicker, and every finding
has its line. What `parse` accepts, any YAML reader reads the same way.
"""

import re
from collections.abc import Sequence
from datetime import date
from ipaddress import IPv4Network

from orchestrate.errors import InvalidInput
from orchestrate.findings import Finding, Place
from orchestrate.ipam.overlaps import overlaps
from orchestrate.ipam.records import Allocation, Ledger, Resting, ledger_of

VERSION = 1
HEADER = f"""\
# Who has which addresses. A range once given never moves, so this file is committed.
# Written by `orchestrate addresses --write` and by `orchestrate apply`; shown by
# `orchestrate addresses`. After a merge run `orchestrate check`.
version: {VERSION}
"""
_HOME = r"(?P<home>pool|inside): (?P<name>[\w./-]+)"
_RANGE = r"range: (?P<range>[\d./]+)"
_KEY = r"(?P<key>[\w./-]+)"
_GIVEN = re.compile(rf"  {_KEY}: \{{{_RANGE}, {_HOME}\}}\Z")
_RESTS = re.compile(
    rf"  - \{{{_RANGE}, {_HOME}, was: {_KEY}, released: (?P<day>\d{{4}}-\d\d-\d\d)\}}\Z"
)
_FORMS = {
    "allocations": (_GIVEN, "KEY: {range: 10.1.0.0/16, pool: NAME} (or inside: KEY)"),
    "resting": (
        _RESTS,
        "- {range: 10.1.0.0/16, pool: NAME, was: KEY, released: YYYY-MM-DD} (or inside: KEY)",
    ),
}
_RESTORE = "restore the file from git: git log -p shows how it was"
_MERGE = (
    "delete the marker lines and keep the lines of both sides; `orchestrate check` then names "
    "every range given twice: of the two, delete the line that is not applied yet and run "
    "`orchestrate addresses --write`"
)
_MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


def write(ledger: Ledger) -> str:
    """The file's text; equal ledgers give equal bytes."""
    given = [f"  {key}: {{{_where(given)}}}\n" for key, given in ledger.given.items()]
    resting = [
        f"  - {{{_where(rest.was)}, was: {rest.was.key}, released: {rest.released}}}\n"
        for rest in ledger.resting
    ]
    allocations = ["allocations:\n", *given] if given else ["allocations: {}\n"]
    rests = ["resting:\n", *resting] if resting else ["resting: []\n"]
    return "".join([HEADER, "\n", *allocations, "\n", *rests])


def _where(given: Allocation) -> str:
    home = f"pool: {given.pool}" if given.pool else f"inside: {given.inside}"
    return f"range: {given.range}, {home}"


def parse(text: str, file: str) -> Ledger:
    """The ledger in `text`; `file` is what findings call it.

    Raises InvalidInput with every finding: merge markers, an unknown version, a file cut off,
    lines that are none of the ledger's, keys given twice, unaligned ranges, ranges that overlap.
    """
    lines = text.splitlines()
    if unreadable := _unreadable(lines, file):
        raise InvalidInput([unreadable])
    reader = _Reader(file)
    for number, line in enumerate(lines, 1):
        if _says_something(line):
            reader.read(line.rstrip(), number)
    rested = (rest.was for rest in reader.resting)
    findings = [*reader.findings, *overlaps([*reader.given.values(), *rested], file)]
    if findings:
        raise InvalidInput(findings)
    return ledger_of(reader.given, reader.resting)


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _unreadable(lines: Sequence[str], file: str) -> Finding | None:
    """Why it makes no sense to read the lines one by one, if it does not."""
    for number, line in enumerate(lines, 1):
        if line.startswith(_MARKERS):
            what = "git left merge markers here: two branches both changed the ledger"
            return Finding(Place(file, number), what, _MERGE)
    number, first = next(
        ((number, line.rstrip()) for number, line in enumerate(lines, 1) if _says_something(line)),
        (0, ""),
    )
    word, _, version = first.partition(": ")
    if word != "version":
        what = f"a ledger begins with 'version: {VERSION}', and this does not"
        return Finding(Place(file, number), what, _RESTORE)
    if version != str(VERSION):
        what = f"this ledger has version '{version}', and only {VERSION} is known here"
        fix = "use the orchestrate that wrote it, or a newer one"
        return Finding(Place(file, number), what, fix)
    sections = {line.partition(":")[0] for line in lines}
    if missing := [section for section in _FORMS if section not in sections]:
        what = f"the file is cut off: it has no '{missing[0]}:'"
        return Finding(Place(file, len(lines)), what, _RESTORE)
    return None


class _Reader:
    """Collects ranges and findings, line by line."""

    def __init__(self, file: str) -> None:
        self.given: dict[str, Allocation] = {}
        self.resting: list[Resting] = []
        self.findings: list[Finding] = []
        self._file = file
        self._section = "version"

    def read(self, line: str, number: int) -> None:
        section, _, rest = line.partition(":")
        if section in _FORMS and rest.strip() in {"", "{}", "[]"}:
            self._section = section
        elif self._section in _FORMS:
            self._entry(line, number)
        elif section != "version":
            self._complain(number, f"'{line.strip()}' belongs to no section", _RESTORE)

    def _entry(self, line: str, number: int) -> None:
        expression, form = _FORMS[self._section]
        match = expression.match(line)
        if not match:
            what = f"'{line.strip()}' is not a line of {self._section}"
            self._complain(number, what, f"write {form}")
        elif range_ := self._range(match["range"], number):
            pool, inside = (match["name"], "") if match["home"] == "pool" else ("", match["name"])
            allocation = Allocation(match["key"], range_, pool, inside, number)
            if self._section == "resting":
                self._rests(allocation, match["day"])
            else:
                self._is_given(allocation)

    def _is_given(self, allocation: Allocation) -> None:
        first = self.given.setdefault(allocation.key, allocation)
        if first is not allocation:
            what = f"{allocation.key} stands here twice, with {first.range} in line {first.line}"
            self._complain(allocation.line, what, "delete the line that is not applied")

    def _rests(self, allocation: Allocation, day: str) -> None:
        try:
            self.resting.append(Resting(allocation, date.fromisoformat(day)))
        except ValueError:
            self._complain(allocation.line, f"there is no day {day}", "write it as YYYY-MM-DD")

    def _range(self, text: str, number: int) -> IPv4Network | None:
        try:
            return IPv4Network(text)
        except ValueError:
            self._complain(number, *_why_no_range(text))
            return None

    def _complain(self, number: int, what: str, fix: str) -> None:
        self.findings.append(Finding(Place(self._file, number), what, fix))


def _why_no_range(text: str) -> tuple[str, str]:
    """What is wrong with a range, and the fix."""
    try:
        aligned = IPv4Network(text, strict=False)
    except ValueError:
        return f"'{text}' is no IPv4 range", "write it like 10.1.0.0/16"
    what = f"{text} is not aligned: its address is not the first of a /{aligned.prefixlen}"
    return what, f"write {aligned} if that is what is applied"
