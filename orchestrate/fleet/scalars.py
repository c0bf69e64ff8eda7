"""What a value without quotes means, where YAML's readers agree; else what is ambiguous. Pure.

PyYAML resolves by YAML 1.1 (yaml.org/type), most newer programs by YAML 1.2's core schema
(yaml.org/spec/1.2.2, 10.3.2), and people by what they see: 010 is 8 to the first, 10 to the second.
A value counts where both read the same; where they differ, it is refused.
"""

import re
from dataclasses import dataclass

import yaml

STANDARD = "tag:yaml.org,2002:"
# A date stays the text that was typed: nothing in a fleet is one. `=` and `<<` as values as well.
_TEXT = {f"{STANDARD}{kind}" for kind in ("str", "timestamp", "value", "merge")}
_CONSTRUCTORS = {
    f"{STANDARD}{kind}": getattr(yaml.constructor.SafeConstructor(), f"construct_yaml_{kind}")
    for kind in ("bool", "float", "int", "null")
}
_TRUTH = re.compile(r"true|True|TRUE|false|False|FALSE")
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FRACTION = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_MAY_BE_NUMBER = frozenset("+-.0123456789")


@dataclass(frozen=True)
class Ambiguous:
    """A value that two readers of YAML read as two different things."""

    what: str
    fix: str


def meaning(node: yaml.ScalarNode) -> object | Ambiguous:
    """The text, number or truth value that a scalar is, or None where it has no value."""
    kind, typed = node.tag.removeprefix(STANDARD), str(node.value)
    if node.tag in _TEXT:
        plain = not node.style and typed[:1] in _MAY_BE_NUMBER
        return _number(typed, None) if plain and _in_core(typed) else typed
    if node.tag not in _CONSTRUCTORS or node.style:
        return Ambiguous(f"tag '{node.tag}' is not allowed here", "leave the tag out")
    try:
        value = _CONSTRUCTORS[node.tag](node)
    except (ValueError, KeyError):  # `!!int word`
        return Ambiguous(f"'{typed}' is not what its tag says", "leave the tag out")
    if kind == "bool":
        return value if _TRUTH.fullmatch(typed) else _truth(typed, value)
    return value if kind == "null" else _number(typed, value)


def _in_core(typed: str) -> bool:
    return bool(_WHOLE.fullmatch(typed) or _FRACTION.fullmatch(typed))


def _number(typed: str, older: int | float | None) -> object | Ambiguous:
    """`older` is the number that YAML 1.1 reads; None where it reads a text."""
    newer = _core(typed) if _in_core(typed) else None
    if older is not None and newer is not None and not _LEADING_ZERO.fullmatch(typed):
        return older
    shown = [_shown(number) for number in (older, newer)]
    meant = shown[0] if newer is None else shown[1]
    if shown[0] == shown[1]:
        what = f"'{typed}' is {meant} to YAML, and to people perhaps a text or an octal number"
    else:
        what = f"'{typed}' is {shown[0]} to one reader of YAML and {shown[1]} to another"
    return Ambiguous(what, f'write {meant}, or "{typed}" in quotes if it is a text')


def _core(typed: str) -> int | float:
    if _WHOLE.fullmatch(typed):
        return int(typed, {"0o": 8, "0x": 16}.get(typed[:2], 10))
    return float(re.sub("(?i)[.](?=inf|nan)", "", typed))


def _truth(typed: str, value: bool) -> Ambiguous:
    word = str(value).lower()
    what = f"'{typed}' is {word} to one reader of YAML and a text to another"
    return Ambiguous(what, f'write {word}, or "{typed}" in quotes if it is a text')


def _shown(number: float | None) -> str:
    if number is None:
        return "a text"
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 1e15
    return str(int(number) if whole else number)
