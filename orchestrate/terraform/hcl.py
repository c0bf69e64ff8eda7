"""Python values as Terraform's language writes them, laid out as `terraform fmt` does. Pure.

What a user wrote reaches Terraform through `literal` and `comment` alone: no quote, newline or `${`
in it can become part of the program. A template cannot forget to ask: `only_escaped` refuses what
came another way and could be more than a word.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network

from orchestrate.plain_text import shown, visible


class Expression(str):
    """Terraform's own text, such as a reference, written as it is. Never what a user wrote."""


Value = str | bool | int | IPv4Network | Sequence["Value"] | Mapping[str, "Value"] | None

# Terraform's specification, "Quoted Templates": what a quoted string cannot hold as it is.
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_PLAIN_KEY = re.compile(r"(?!(for|null|true|false)$)[A-Za-z_][A-Za-z0-9_]*")
# Part of a name, or of a longer string: it ends neither, and interpolates nothing.
_WORD = re.compile(r"[A-Za-z0-9_.-]*")
_STEP = 2
_LONGEST_LINE = 100


def literal(value: Value, indent: int = _STEP) -> str:
    """The value as an expression whose first line starts somewhere in a line of `indent` spaces.

    Mappings keep their order. Raises TypeError for what has no literal.
    """
    if value is None:
        return "null"
    if isinstance(value, bool | int):
        return str(value).lower()
    if isinstance(value, str | IPv4Network):
        return str(value) if isinstance(value, Expression) else quoted(str(value))
    if isinstance(value, Mapping):
        return _object(value, indent)
    if isinstance(value, Sequence):
        return _list(value, indent)
    raise TypeError(f"no Terraform literal for {type(value).__name__}")


def quoted(text: str) -> str:
    """The text as a quoted string: nothing in it is interpolated."""
    escaped = text.translate(_ESCAPES)
    if not escaped.isprintable():
        escaped = "".join(letter if letter.isprintable() else _code(letter) for letter in escaped)
    return '"' + escaped.replace("${", "$${").replace("%{", "%%{") + '"'


def _code(letter: str) -> str:
    """A letter by its number; half of a surrogate pair has none in UTF-8 and becomes U+FFFD."""
    half = "\ud800" <= letter <= "\udfff"
    return f"\\U{0xFFFD if half else ord(letter):08x}"


def comment(text: str) -> Expression:
    """The text as it may stand behind `#`: it never ends the line."""
    return Expression(visible(text))


def only_escaped(value: object) -> object:
    """What a template is about to write, if it is escaped, or needs no escape.

    Raises ValueError for anything else.
    """
    if isinstance(value, Expression | int) or _WORD.fullmatch(str(value)):
        return value
    raise ValueError(f"a template writes '{shown(value)}' as it is; it needs `| hcl`")


def _list(values: Sequence[Value], indent: int) -> str:
    items = [literal(value, indent + _STEP) for value in values]
    line = f"[{', '.join(items)}]"
    if "\n" not in line and indent + len(line) <= _LONGEST_LINE:
        return line
    inside = " " * (indent + _STEP)
    return "[\n" + "".join(f"{inside}{item},\n" for item in items) + " " * indent + "]"


def _object(fields: Mapping[str, Value], indent: int) -> str:
    if not fields:
        return "{}"
    write_key = str if all(map(_PLAIN_KEY.fullmatch, fields)) else quoted
    items = [(write_key(key), literal(value, indent + _STEP)) for key, value in fields.items()]
    inside = " " * (indent + _STEP)
    lines = "".join(f"{inside}{line}\n" for line in _aligned(items))
    return "{\n" + lines + " " * indent + "}"


def _aligned(items: Sequence[tuple[str, str]]) -> Iterator[str]:
    """`key = value` each; the signs stand in one column over every run of one-line values."""
    run: list[tuple[str, str]] = []
    for key, value in items:
        if "\n" not in value:
            run.append((key, value))
            continue
        yield from _column(run)
        run = []
        yield f"{key} = {value}"
    yield from _column(run)


def _column(run: Sequence[tuple[str, str]]) -> Iterator[str]:
    width = max((len(key) for key, _ in run), default=0)
    return (f"{key.ljust(width)} = {value}" for key, value in run)
