"""The sensitive values of a plan shown as JSON, to be hidden wherever else they stand. Pure.

Terraform marks values, and marks get lost on the way: a resource's computed attribute, a script
that a password was put into.
"""

from collections.abc import Iterator, Mapping
from typing import Any

# Hiding every `1` or `true` because one is sensitive would hide the plan.
SHORTEST = 4


def secrets(document: Mapping[str, Any]) -> frozenset[str]:
    """Every text that the document has somewhere as a sensitive value."""
    resources = [*document.get("resource_changes", ()), *document.get("resource_drift", ())]
    changes = [each["change"] for each in resources]
    changes += (document.get("output_changes") or {}).values()
    found = (
        text
        for change in changes
        for side in ("before", "after")
        for text in _marked(change.get(side), change.get(f"{side}_sensitive"))
    )
    return frozenset(text for text in found if len(text) >= SHORTEST)


def texts(value: Any) -> Iterator[str]:
    """All texts in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)


def _marked(value: Any, mark: Any) -> Iterator[str]:
    if mark is True:
        yield from texts(value)
    elif isinstance(mark, Mapping) and isinstance(value, Mapping):
        for key in mark:
            yield from _marked(value.get(key), mark[key])
    elif isinstance(mark, list) and isinstance(value, list):
        for each, its in zip(value, mark, strict=False):
            yield from _marked(each, its)
