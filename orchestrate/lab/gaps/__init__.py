"""What moto does not do as AWS does, closed: one file per AWS service.

A gap is a function marked with `amends`, which gets the original as its first argument, or with
`adds` where moto has nothing. Its docstring says what AWS does, where that is documented, and
which Terraform attribute needs it.
Nothing changes until `close_gaps` is called, in the daemon only. The rule behind every gap:
after an apply, the plan of every stack is empty.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

from orchestrate.errors import LabError

SERVICES = (
    "addresses",
    "autoscaling",
    "baked_images",
    "ec2",
    "default_vpc",
    "capacity",  # after ec2: asked first, before anything is prepared
    "efs",
    "hosts",
    "iam",
    "images",
    "in_use",
    "interfaces",
    "launch_templates",
    "lookups",
    "networks",
    "route53",
    "s3",
    "scaling_activities",
    "scaling_processes",
    "security_groups",
    "sts",
    "vpn_connections",
)

Method = Callable[..., Any]
_amendments: list[tuple[type, str, Method]] = []
_additions: list[tuple[type, str, Method]] = []


def amends(owner: type, name: str) -> Callable[[Method], Method]:
    """Decorator: the function stands for method `name` of moto's class `owner` once gaps close."""

    def mark(function: Method) -> Method:
        _amendments.append((owner, name, function))
        return function

    return mark


def adds(owner: type, name: str) -> Callable[[Method], Method]:
    """Decorator: the function is method `name` of moto's class `owner`, which has none."""

    def mark(function: Method) -> Method:
        _additions.append((owner, name, function))
        return function

    return mark


def close_gaps() -> None:
    """Replace moto's methods. Raises LabError when this moto has no such method any more."""
    for service in SERVICES:
        importlib.import_module(f"{__name__}.{service}")
    while _additions:
        setattr(*_additions.pop(0))
    while _amendments:
        _replace(*_amendments.pop(0))


def _replace(owner: type, name: str, function: Method) -> None:
    original = owner.__dict__.get(name)
    if original is None:
        raise LabError(
            f"this version of moto has no {owner.__name__}.{name}",
            where=function.__module__,
            fix="install the versions of Pipfile.lock",
        )

    setattr(owner, name, _amended(original, function))


def _amended(original: Any, function: Method) -> Any:
    if isinstance(original, property):
        return property(lambda self: function(original.fget, self))

    @functools.wraps(original)
    def amended(*args: Any, **kwargs: Any) -> Any:
        return function(original, *args, **kwargs)

    return amended
