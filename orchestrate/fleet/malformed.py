"""Text that is no YAML, or not what a fleet file can be, explained in plain words. Pure."""

import re

import yaml

from orchestrate.findings import Finding, Place

# The first three are line ends to YAML 1.1, not to YAML 1.2 nor to most editors: a comment would
# end where nobody sees it. The last is a byte order mark, which may only begin a file.
_INVISIBLE = re.compile(r"[\x85\u2028\u2029\ufeff]")
_CONFLICT = re.compile(r"^(<{7}|>{7})( |$)", re.MULTILINE)

# What libyaml's message contains -> what it means to somebody who edits a file, and the fix.
_MEANINGS = (
    (
        "found character that cannot start",
        "a tab, or a value that starts with @, ` or %",
        "indent with spaces only, and put quotes around such a value",
    ),
    ("control characters", "an invisible control character", "delete it, or type the line anew"),
    ("found a tab character", "a tab in the indentation", "indent with spaces only"),
    (
        "mapping values are not allowed",
        "a ':' where no key can be",
        "put quotes around a text that contains ': ', and check the indentation",
    ),
    (
        "could not find expected ':'",
        "a line that is neither a key nor part of a value",
        "write it as 'key: value', or indent it under its key",
    ),
    (
        "did not find expected ',' or ']'",
        "a list opened with '[' that isn't closed",
        "close it with ']', and put ',' between its items",
    ),
    (
        "did not find expected ',' or '}'",
        "a mapping opened with '{' that isn't closed",
        "close it with '}', and put ',' between its entries",
    ),
    (
        "did not find expected key",
        "a line indented unlike its neighbours",
        "line it up with the keys beside it, or close a quote that is open above it",
    ),
    (
        "did not find expected '-' indicator",
        "a line inside a list that doesn't start with '-'",
        "start it with '- ', or line it up with the key above the list",
    ),
    ("unexpected end of stream", "a quote that isn't closed", "close it"),
    ("while scanning a quoted scalar", "a quote that isn't closed", "close it"),
    ("nesting depth", "lists and mappings are nested too deep", "close them earlier"),
    ("undefined alias", "an alias '*name' without its anchor '&name'", "write the value out"),
    ("expected a single document", "a second document after '---'", "one file, one document"),
    ("but found another document", "a second document after '---'", "one file, one document"),
)


def conflict(text: str, file: str) -> Finding | None:
    """The first marker of a merge that nobody finished, if there is one."""
    marker = _CONFLICT.search(text)
    if marker is None:
        return None
    line = text.count("\n", 0, marker.start()) + 1
    what = f"an unresolved merge conflict ('{marker[1]}')"
    return Finding(Place(file, line), what, "keep the right lines and delete the three markers")


def invisible(text: str, file: str) -> Finding | None:
    """The first character that nobody sees and that YAML takes for the end of a line, or worse."""
    found = _INVISIBLE.search(text, 1)
    if found is None:
        return None
    place = Place(file, text.count("\n", 0, found.start()) + 1)
    what = f"an invisible character (U+{ord(found[0]):04X})"
    return Finding(place, what, "delete it, or type the line anew")


def explain(error: yaml.YAMLError, text: str, file: str) -> Finding:
    """What is wrong with the syntax, where it begins."""
    reason = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    said = f"{getattr(error, 'context', '')} {reason}"
    for part, meaning, fix in _MEANINGS:
        if part in said:
            place = Place(file, _line(error, text, begin="closed" in meaning))
            return Finding(place, f"not valid YAML: {meaning}", fix)
    place = Place(file, _line(error, text))
    return Finding(place, f"not valid YAML: {reason}", "correct the syntax there")


def _line(error: yaml.YAMLError, text: str, begin: bool = False) -> int:
    """Where the parser stopped, or with `begin` where the thing began that it was reading."""
    if isinstance(error, yaml.MarkedYAMLError):
        marks = [error.problem_mark, error.context_mark]
        mark = next(filter(None, reversed(marks) if begin else marks), None)
        return mark.line + 1 if mark else 0
    return text.count("\n", 0, getattr(error, "position", 0)) + 1


def no_mapping(file: str) -> Finding:
    """The file is empty, or a list or a single value."""
    fix = "start it with 'name: ...'; `orchestrate init` in an empty folder writes an example"
    return Finding(Place(file, 1), "the file has no keys", fix)
