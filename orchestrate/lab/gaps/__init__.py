"""What moto does not do as AWS does, closed: one file per AWS service.

A gap is a function marked with `amends`. It gets the original as its first argument, and its
docstring says what AWS does, where that is documented, and which Terraform attribute needs it.
Nothing changes until `close_gaps` is called, in the daemon only. The rule behind every gap:
after an apply, the plan of every stack is empty.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

from orchestrate.errors import LabError

SERVICES = ("addresses", "autoscaling", "ec2", "images", "route53", "s3")

Amendment = tuple[type, str, Callable[..., Any]]
_amendments: list[Amendment] = []


def amends(owner: type, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the function stands for method `name` of moto's class `owner` once gaps close."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        _amendments.append((owner, name, function))
        return function

    return mark


def close_gaps() -> None:
    """Replace moto's methods. Raises LabError when this moto has no such method any more."""
    for service in SERVICES:
        importlib.import_module(f"{__name__}.{service}")
    while _amendments:
        _replace(*_amendments.pop(0))


def _replace(owner: type, name: str, function: Callable[..., Any]) -> None:
    original = owner.__dict__.get(name)
    if original is None:
        raise LabError(
            f"this version of moto has no {owner.__name__}.{name}",
            where=function.__module__,
            fix="install the versions of Pipfile.lock",
        )

    @functools.wraps(original)
    def amended(*args: Any, **kwargs: Any) -> Any:
        return function(original, *args, **kwargs)

    setattr(owner, name, amended)
