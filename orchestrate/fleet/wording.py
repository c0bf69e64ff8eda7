"""What pydantic found in a file, said in the words of the fleet, with the fix. Pure.

One function per kind of mistake; nothing pydantic says reaches the user as it is.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Network
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from orchestrate.findings import Finding
from orchestrate.fleet import shapes
from orchestrate.fleet.document import Document
from orchestrate.plain_text import WORD, is_word, shown

Said = tuple[str, str]  # what is wrong, and the fix
UNSURE = "compare it with docs/guides/fleet.md"


@dataclass(frozen=True)
class Mistake:
    """One of pydantic's errors: `path` is where, `typed` what stands in the file there.

    `in_key` is true where the last step of the path is itself the mistake, not what it holds.
    """

    path: tuple[str | int, ...]
    in_key: bool
    typed: str
    value: object
    limits: dict[str, Any]
    keys: tuple[str, ...]

    @property
    def name(self) -> str:
        """The dotted path."""
        return ".".join(shown(step) for step in self.path) or "the file"

    @property
    def key(self) -> str:
        """The last step of the path."""
        return str(self.path[-1]) if self.path else ""

    @property
    def shown(self) -> str:
        """The value, as a sentence can hold it."""
        if isinstance(self.value, list):
            return "a list"
        if isinstance(self.value, dict):
            return "a mapping"
        return f"'{self.quoted}'"

    @property
    def quoted(self) -> str:
        """What stands there, on one line and not too long."""
        return shown(self.typed)

    @property
    def shown_key(self) -> str:
        """The last step of the path, the same way."""
        return shown(self.key)


def findings(error: ValidationError, model: type[BaseModel], document: Document) -> list[Finding]:
    """All of pydantic's errors about `document`, each at its line."""
    found = []
    for one in _own(error.errors(include_url=False)):
        mistake = _mistake(one, model, document)
        # Said already, unless no single value belongs there at all.
        scalar = not mistake.in_key and one["type"] not in (*_MAPPINGS, "tuple_type")
        if scalar and document.refused(*mistake.path):
            continue
        found.append(Finding(document.place(*mistake.path), *_say(mistake, one["type"])))
    return found


def nearest(wrong: str, right: Iterable[str]) -> str:
    """A fix for a wrong name: the nearest right one, else all there are."""
    names = sorted(right)
    near = difflib.get_close_matches(wrong.lower(), names, n=1)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"there are: {', '.join(names)}" if names else "there are none"


def _own(errors: list[Any]) -> Iterator[Any]:
    """Without lists and mappings that are too short only because their items are refused."""
    for one in errors:
        loc = one["loc"]
        inside = (other["loc"] for other in errors if other is not one)
        if one["type"] != "too_short" or all(other[: len(loc)] != loc for other in inside):
            yield one


def _path(one: Any) -> tuple[tuple[int | str, ...], bool]:
    """Where the mistake is, and whether it is in the last step itself: in a mapping's key."""
    loc = one["loc"]
    if one["type"] == "reserved_tag":
        return (*loc, one["ctx"]["key"]), True
    if loc[-1:] == ("[key]",):  # so pydantic marks it
        return loc[:-1], True
    return loc, False


def _mistake(one: Any, model: type[BaseModel], document: Document) -> Mistake:
    path, in_key = _path(one)
    return Mistake(
        path=path,
        in_key=in_key,
        typed=str(path[-1]) if in_key else document.typed(*path),
        value=one["input"],
        limits=one.get("ctx", {}),
        keys=_keys(model, path[:-1]),
    )


def _keys(model: type[BaseModel], path: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys that may stand in the mapping at `path`."""
    kind: Any = model
    for step in path:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            field = kind.model_fields.get(str(step))
            kind = field.annotation if field else None
        else:
            kind = _inner(kind)
        kind = _unwrapped(kind)
    return tuple(kind.model_fields) if hasattr(kind, "model_fields") else ()


def _unwrapped(kind: Any) -> Any:
    """`X` of `X | None`."""
    options = [option for option in get_args(kind) if option is not type(None)]
    return options[0] if type(None) in get_args(kind) else kind


def _inner(kind: Any) -> Any:
    """The values' type of a mapping, the items' of a list."""
    arguments = [argument for argument in get_args(kind) if argument is not Ellipsis]
    return arguments[-1] if arguments else None


def _say(mistake: Mistake, kind: str) -> Said:
    if mistake.value is None and kind not in ("extra_forbidden", "missing"):
        empty = "write {} for the defaults" if kind in _MAPPINGS else "write one"
        return f"'{mistake.name}' has no value", f"{empty}, or delete the line"
    return _SAY.get(kind, _otherwise)(mistake)


def _missing(it: Mistake) -> Said:
    return f"'{it.name}' is missing", f"add '{it.shown_key}: ...'"


def _unknown_key(it: Mistake) -> Said:
    return f"no key '{it.shown_key}' may stand here", nearest(it.key, it.keys)


def _no_text(it: Mistake) -> Said:
    if isinstance(it.value, list | dict):
        return f"'{it.name}' must be text, not {it.shown}", "write a single value"
    kind = "a truth value" if isinstance(it.value, bool) else "a number"
    what = f"'{it.name}' must be text, but YAML reads {it.quoted} as {kind}"
    return what, f'put quotes around it: "{it.quoted}"'


def _no_number(it: Mistake) -> Said:
    what = f"'{it.name}' must be a whole number, not {it.shown}"
    digits = re.fullmatch(r"\s*(\d+)(\.0*)?\s*", it.typed)
    # `int`, for digits of other scripts and zeros in front, which would be no number either.
    return (
        what,
        f"write {int(digits[1])}, without quotes" if digits else "write digits only, like 8",
    )


def _no_truth(it: Mistake) -> Said:
    word = it.typed.lower()
    fix = f"write {word}, without quotes" if word in ("true", "false") else "write true or false"
    return f"'{it.name}' must be true or false, not {it.shown}", fix


def _no_choice(it: Mistake) -> Said:
    choices = ["".join(one) for one in re.findall(r"'([^']*)'|(\d+)", it.limits["expected"])]
    if it.in_key:
        return _unknown_key(replace(it, keys=tuple(choices)))
    return f"'{it.name}' can't be {it.shown}", nearest(it.typed, choices)


def _no_match(it: Mistake) -> Said:
    pattern = it.limits["pattern"]
    wanted, example = shapes.IN_WORDS[pattern]
    if pattern in shapes.CHARACTERS:
        strange = [one for one in dict.fromkeys(it.typed) if not re.fullmatch(pattern, one)]
        if strange:
            what = f"'{it.name}' has {shown(' '.join(strange))} in it, but must be {wanted}"
            return what, "leave that out, or write it in other characters"
    what = f"'{it.name}' is '{it.quoted}', but must be {wanted}"
    if it.in_key:
        what = f"the key '{it.quoted}' must be {wanted}"
    if pattern == WORD:
        words = re.sub(r"[^a-z0-9]+", "-", it.typed.lower()).strip("-0123456789")
        return what, f"write '{words if is_word(words) else example}'"
    return what, f"write it like {example}"


def _too_long(it: Mistake) -> Said:
    allowed = it.limits["max_length"]
    what = f"'{it.name}' is {len(it.typed)} characters long, and {allowed} are allowed"
    return what, f"shorten it by {len(it.typed) - allowed}"


def _too_small(it: Mistake) -> Said:
    return f"'{it.name}' is {it.quoted}, which is too small", f"write {it.limits['ge']} or more"


def _too_large(it: Mistake) -> Said:
    return f"'{it.name}' is {it.quoted}, which is too large", f"write {it.limits['le']} or less"


def _no_length(it: Mistake) -> Said:
    what = f"'{it.name}' must be a range with its length, not {it.shown}"
    example = f"{it.quoted}/32" if it.typed else "10.0.0.1/32"
    return what, f"add the length: {example} is one address, 10.0.0.0/16 a range, 0.0.0.0/0 all"


def _no_range(it: Mistake) -> Said:
    try:
        meant = IPv4Network(it.typed, strict=False)
    except ValueError:
        return f"'{it.name}' must be an IPv4 range, not {it.shown}", "write it like 10.0.0.0/16"
    return f"'{it.name}' is {it.quoted}, which is inside a range, not its start", f"write {meant}"


def _no_address(it: Mistake) -> Said:
    return f"'{it.name}' must be an IPv4 address, not {it.shown}", "write it like 10.64.0.2"


def _no_list(it: Mistake) -> Said:
    example = f"[{it.quoted}]" if it.typed else "[first, second]"
    return f"'{it.name}' must be a list, not {it.shown}", f"write {example}"


def _no_mapping(it: Mistake) -> Said:
    what = f"'{it.name}' must have keys of its own, not {it.shown}"
    return what, "write its keys indented below it, or {} for the defaults"


def _too_few(it: Mistake) -> Said:
    least = it.limits["min_length"]
    return f"'{it.name}' is empty, and needs at least {least}", "add one"


def _too_many(it: Mistake) -> Said:
    most, found = it.limits["max_length"], it.limits["actual_length"]
    return f"'{it.name}' has {found} entries, and {most} are allowed", f"take out {found - most}"


def _reserved(it: Mistake) -> Said:
    what = f"the tag '{it.shown_key}' is not for people to set"
    return what, "choose another key; AWS owns aws:…, and Name is derived"


def _cut_key(it: Mistake) -> Said:
    what = f"'{it.name}' is not a whole public key"
    return what, "copy all of the line in the host's /etc/ssh/ssh_host_ed25519_key.pub"


def _otherwise(it: Mistake) -> Said:
    return f"'{it.name}' can't be {it.shown}", UNSURE


_MAPPINGS = ("dict_type", "model_type")
_SAY: dict[str, Callable[[Mistake], Said]] = {
    "bool_type": _no_truth,
    "dict_type": _no_mapping,
    "extra_forbidden": _unknown_key,
    "greater_than_equal": _too_small,
    "host_key": _cut_key,
    "int_from_float": _no_number,
    "int_parsing": _no_number,
    "int_type": _no_number,
    "ip_v4_address": _no_address,
    "ip_v4_network": _no_range,
    "less_than_equal": _too_large,
    "literal_error": _no_choice,
    "missing": _missing,
    "model_type": _no_mapping,
    "range_without_prefix": _no_length,
    "reserved_tag": _reserved,
    "string_pattern_mismatch": _no_match,
    "string_too_long": _too_long,
    "string_type": _no_text,
    "too_long": _too_many,
    "too_short": _too_few,
    "tuple_type": _no_list,
}
