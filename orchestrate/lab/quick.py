"""Makes moto answer several times as fast, the answers being the same.

Most of a request's time goes into questions whose answers never change while a lab runs: which
services moto has (it lists its own folder), which actions a service has (it inspects the class),
and under which names a model may have a member of an answer. Each is asked once here.
"""

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

import moto.backends
import moto.core.responses
import moto.core.utils
from moto.core.serialize import AttributePickerContext, XFormedAttributePicker

# Longer than any common request. At Python's 5 ms a thread that waits for the API's lock takes
# the interpreter from the one that holds it, only to go on waiting: half the requests a second.
SWITCH_INTERVAL_S = 0.05


def quicken() -> None:
    """Remember what never changes, and let a request finish before another begins.

    Call it after the gaps are closed: the actions they add must be there to be remembered.
    """
    modules = frozenset(moto.backends.list_of_moto_modules())
    actions = functools.cache(moto.core.utils.method_names_from_class)
    setattr(moto.backends, "list_of_moto_modules", lambda: modules)  # noqa: B010 - not ours to type
    setattr(moto.core.responses, "method_names_from_class", actions)  # noqa: B010
    names = remembering(XFormedAttributePicker.get_possible_keys)
    setattr(XFormedAttributePicker, "get_possible_keys", names)  # noqa: B010
    sys.setswitchinterval(SWITCH_INTERVAL_S)


def remembering(
    ask: Callable[[Any, AttributePickerContext], Iterable[str]],
) -> Callable[[Any, AttributePickerContext], tuple[str, ...]]:
    """Ask once for the names that a member of an answer may have: its shape and the model's
    class decide."""
    known: dict[tuple[object, type, str], tuple[str, ...]] = {}

    def possible_keys(picker: Any, context: AttributePickerContext) -> tuple[str, ...]:
        question = context.shape, context.obj.__class__, context.key
        if question not in known:
            known[question] = tuple(dict.fromkeys(ask(picker, context)))
        return known[question]

    return possible_keys
