"""What a plan changes, from what to what: read from what `terraform show -json` says of it. Pure.

A plan's event stream names resources and no attribute. The format of the document:
https://developer.hashicorp.com/terraform/internals/json-format#change-representation
What Terraform marks sensitive, in the module or in the provider's schema, never gets into a
Difference (S9).
"""

import base64
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrate.terraform.sensitive import secrets, texts

# Scalars of JSON, or lists and maps of them where one was added or removed as a whole.
Value = Any
Differences = Mapping[str, tuple["Difference", ...]]

# Attributes that tell the blocks of a list apart, in the order in which they are tried.
IDENTITIES = ("key", "name", "device_name", "resource_type", "id", "sid", "Sid")
# What Terraform keeps in base64 because the API does; people wrote, and read, the text.
ENCODED = ("user_data", "user_data_base64")
ALL_TAGS = "tags_all."


@dataclass(frozen=True)
class Difference:
    """One attribute that changes. `path` is as Terraform writes it: `tag[team].value`.

    A list of scalars has `added` and `removed` and neither `before` nor `after`; else None stands
    for nothing. With `known` False only AWS will know what it becomes. `replaces`: it is why the
    resource is replaced. `drifted`: it was changed outside of Terraform since the last apply.
    """

    path: str
    before: Value = None
    after: Value = None
    added: tuple[Value, ...] = ()
    removed: tuple[Value, ...] = ()
    known: bool = True
    sensitive: bool = False
    replaces: bool = False
    drifted: bool = False


def differences(document: Mapping[str, Any]) -> Differences:
    """By address, what a plan changes of each resource; those that go have nothing to show."""
    drift = {
        each["address"]: frozenset(row.path for row in _of(each["change"]))
        for each in document.get("resource_drift", ())
    }
    hidden = secrets(document)
    return {
        each["address"]: tuple(
            _masked(replace(row, drifted=row.path in drift.get(each["address"], ())), hidden)
            for row in _of(each["change"])
        )
        for each in document.get("resource_changes", ())
        if {"create", "update"} & set(each["change"]["actions"])
    }


def _of(change: Mapping[str, Any]) -> tuple[Difference, ...]:
    """The rows of one resource."""
    replacing = {"create", "delete"} <= set(change["actions"])
    reasons = {_joined(path) for path in change.get("replace_paths", ())}
    before, after = change.get("before"), change.get("after")
    walked = walk(
        "",
        before,
        after,
        change.get("after_unknown"),
        change.get("before_sensitive"),
        change.get("after_sensitive"),
    )
    rows = [replace(row, replaces=_stem(row.path) in reasons) for row in walked]
    # What is made anew gets a new id, ARN, … : that goes without saying.
    if replacing or before is None:
        rows = [row for row in rows if row.known or row.replaces]
    return tuple(_without_repeated_tags(rows))


def walk(
    path: str, before: Value, after: Value, unknown: Value, was_secret: Value, is_secret: Value
) -> Iterator[Difference]:
    """The differences below `path`. The last three are Terraform's: true where a value is unknown
    or sensitive, or lists and maps of such, which leave out what is not.
    """
    if was_secret is True or is_secret is True:
        if before != after or _any_true(unknown):
            yield Difference(path, sensitive=True, known=not _any_true(unknown))
    elif unknown is True:
        yield from _to_unknown(path, before, was_secret)
    elif _same(before, after) and not _any_true(unknown):
        return
    elif _all(Mapping, before, after):
        for key in sorted({*(before or {}), *(after or {}), *_keys(unknown)}):
            below = (_at(each, key) for each in (before, after, unknown, was_secret, is_secret))
            yield from walk(f"{path}.{key}" if path else key, *below)
    elif _all(list, before, after):
        yield from _lists(path, before or [], after or [], unknown, was_secret, is_secret)
    else:
        yield from _scalars(path, before, after)


def _to_unknown(path: str, before: Value, was_secret: Value) -> Iterator[Difference]:
    """What is to be known after the apply only; a secret somewhere below hides all of it."""
    if _any_true(was_secret):
        yield Difference(path, sensitive=True, known=False)
    else:
        yield Difference(path, _decoded(path, before), known=False)


def _scalars(path: str, before: Value, after: Value) -> Iterator[Difference]:
    old, new = _structure(before), _structure(after)
    if (old or new) and None not in (old, new):
        yield from walk(path, old, new, None, None, None)
    else:
        yield Difference(path, _decoded(path, before), _decoded(path, after))


def _lists(
    path: str, before: list[Value], after: list[Value], *marks: Value
) -> Iterator[Difference]:
    """Scalars as additions and removals; blocks one by one, each with the one it was."""
    unknown, was_secret, is_secret = marks
    if any(isinstance(each, Mapping | list) for each in [*before, *after]):
        # A block whose name is a secret goes by its place.
        named = not _any_true(was_secret) and not _any_true(is_secret)
        for name, old, new in _pairs(before, after, named=named):
            sides = (_item(before, old), _item(after, new), _item(unknown, new))
            below = (*sides, _item(was_secret, old), _item(is_secret, new))
            yield from walk(f"{path}[{name}]", *below)
    elif _any_true(was_secret) or _any_true(is_secret):
        yield Difference(path, sensitive=True)
    else:
        known = [each for n, each in enumerate(after) if not _item(unknown, n)]
        row = Difference(
            path,
            added=_without(known, before),
            removed=_without(before, after),
            known=not _any_true(unknown),
        )
        if row.added or row.removed or not row.known:
            yield row
        else:
            yield Difference(path, before, after)


def _pairs(
    before: Sequence[Value], after: Sequence[Value], *, named: bool
) -> Iterator[tuple[str, int | None, int | None]]:
    """Which block of a list became which: name, and place before and after; None where it has none.

    Blocks with an identity go by that, others that are alike belong together, and the rest pair
    up in their order.
    """
    identity = next((key for key in IDENTITIES if _tells_apart(key, before, after)), "")
    if named and identity:
        old = {each[identity]: place for place, each in enumerate(before)}
        new = {each[identity]: place for place, each in enumerate(after)}
        for name in sorted({*old, *new}, key=str):
            yield str(name), old.get(name), new.get(name)
        return
    left = list(range(len(after)))
    changed = []
    for place, each in enumerate(before):
        same = next((n for n in left if after[n] == each), None)
        if same is None:
            changed.append(place)
        else:
            left.remove(same)
    for n in range(max(len(changed), len(left))):
        was, becomes = _item(changed, n), _item(left, n)
        yield str(was if becomes is None else becomes), was, becomes


def _tells_apart(key: str, *sides: Sequence[Value]) -> bool:
    """Whether every block has a value of its own for this key."""
    for blocks in sides:
        if not all(isinstance(each, Mapping) for each in blocks):
            return False
        values = [each.get(key) for each in blocks]
        if not all(isinstance(each, str) and each for each in values):
            return False
        if len(set(values)) < len(values):
            return False
    return True


def _without_repeated_tags(rows: Sequence[Difference]) -> Iterator[Difference]:
    """Without `tags_all` of what `tags` says already; the fleet's own tags are there alone."""
    told = {row.path.removeprefix("tags.") for row in rows if row.path.startswith("tags.")}
    for row in rows:
        if row.path.removeprefix(ALL_TAGS) not in told or not row.path.startswith(ALL_TAGS):
            yield row


def _masked(row: Difference, hidden: Collection[str]) -> Difference:
    """The row, without its values where one of them has a secret in it."""
    found = list(texts([row.before, row.after, row.added, row.removed]))
    if not any(secret in text for secret in hidden for text in found):
        return row
    return replace(row, before=None, after=None, added=(), removed=(), sensitive=True)


def _same(before: Value, after: Value) -> bool:
    """Whether nothing changes; the provider takes empty for absent, and so do people."""
    return before == after or (before in (None, "", [], {}) and after in (None, "", [], {}))


def _all(kind: type | Any, *values: Value) -> bool:
    """Whether the values are of this kind, those that are nothing apart, and not all nothing."""
    there = [each for each in values if each is not None]
    return bool(there) and all(isinstance(each, kind) for each in there)


def _at(value: Value, key: str) -> Value:
    return value.get(key) if isinstance(value, Mapping) else None


def _item(value: Value, place: int | None) -> Value:
    if place is None or not isinstance(value, list) or place >= len(value):
        return None
    return value[place]


def _keys(value: Value) -> Sequence[str]:
    return list(value) if isinstance(value, Mapping) else []


def _any_true(value: Value) -> bool:
    if isinstance(value, Mapping):
        return any(map(_any_true, value.values()))
    return any(map(_any_true, value)) if isinstance(value, list) else value is True


def _without(values: Sequence[Value], others: Sequence[Value]) -> tuple[Value, ...]:
    """The values that the others don't have, one for one."""
    left = list(others)
    found = []
    for each in values:
        if each in left:
            left.remove(each)
        else:
            found.append(each)
    return tuple(found)


def _structure(value: Value) -> Value:
    """What a JSON document in a string says, as policies are; None if it is none."""
    if value is None or value == "":
        return {}
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None


def _decoded(path: str, value: Value) -> Value:
    if not isinstance(value, str) or path.rpartition(".")[2] not in ENCODED:
        return value
    try:
        return base64.b64decode(value, validate=True).decode()
    except ValueError:
        return value


def _joined(path: Sequence[str | int]) -> str:
    """`["launch_template", 0, "id"]` -> `launch_template`: rows name blocks in their own way."""
    return str(path[0]) if path else ""


def _stem(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
