"""Terraform's machine-readable stream (`-json`) as typed events. Pure.

The format: https://developer.hashicorp.com/terraform/internals/machine-readable-ui
A newer Terraform may say things that are unknown here: they become None, never an error. A line
that isn't JSON (a crash, a wrapper's word) becomes Text.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Text:
    """A line with no more meaning than its words: Terraform's version, waiting for a lock."""

    text: str


@dataclass(frozen=True)
class Locking:
    """The state's lock was not to be had at once, and Terraform tries on. It doesn't say `who` has
    it, and since when: that is found out elsewhere.
    """

    who: str = ""


@dataclass(frozen=True)
class Planned:
    """One resource that the plan would touch. `action` and `reason` are Terraform's own words."""

    address: str
    resource_type: str
    action: str
    reason: str = ""


@dataclass(frozen=True)
class Drifted:
    """One resource that someone changed behind Terraform's back."""

    address: str
    action: str


@dataclass(frozen=True)
class Refreshed:
    """One resource's real state has been read; what a plan spends its time on."""

    address: str


@dataclass(frozen=True)
class ResourceStarted:
    address: str
    resource_type: str
    action: str


@dataclass(frozen=True)
class ResourceProgress:
    """Sent every ten seconds for a resource that takes long."""

    address: str
    action: str
    elapsed_s: int


@dataclass(frozen=True)
class ResourceDone:
    """`id` is AWS's own id of the resource, "" where Terraform doesn't tell."""

    address: str
    action: str
    elapsed_s: int
    id: str = ""


@dataclass(frozen=True)
class ResourceFailed:
    """`given_up`: it ended after a stop was asked for, which makes Terraform give up its waits."""

    address: str
    action: str
    elapsed_s: int
    given_up: bool = False


@dataclass(frozen=True)
class Diagnostic:
    """An error or warning. `address` is the resource, `file` and `line` the place, if told."""

    severity: Literal["error", "warning"]
    summary: str
    detail: str = ""
    address: str = ""
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """Resource and file:line, as far as known."""
        file = f"{self.file}:{self.line}" if self.file else ""
        return ", ".join(part for part in (self.address, file) if part)


@dataclass(frozen=True)
class Summary:
    """How many resources a plan would add, change and remove, or an apply did."""

    operation: str
    add: int
    change: int
    remove: int


@dataclass(frozen=True)
class Outputs:
    """A root's outputs. `values` has those that are known and not sensitive (S9)."""

    names: tuple[str, ...]
    values: Mapping[str, object]


Event = (
    Text
    | Locking
    | Planned
    | Drifted
    | Refreshed
    | ResourceStarted
    | ResourceProgress
    | ResourceDone
    | ResourceFailed
    | Diagnostic
    | Summary
    | Outputs
)
_Raw = Mapping[str, Any]


# Some messages carry colours in spite of -json.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def read(line: str) -> Event | None:
    """One line of the stream; None for what is of no interest here or not yet known."""
    if not line.startswith("{"):
        return _words(line)
    try:
        raw = json.loads(line)
        kind = _KINDS.get(raw.get("type", ""))
        return kind(raw) if kind else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _words(line)


def _words(text: str) -> Text | None:
    plain = _COLOURS.sub("", text).strip()
    return Text(plain) if plain else None


def _text(raw: _Raw) -> Event | None:
    return _words(raw["@message"])


def _planned(raw: _Raw) -> Event:
    change = raw["change"]
    resource = change["resource"]
    return Planned(
        resource["addr"], resource["resource_type"], change["action"], change.get("reason", "")
    )


def _drifted(raw: _Raw) -> Event:
    return Drifted(raw["change"]["resource"]["addr"], raw["change"]["action"])


def _refreshed(raw: _Raw) -> Event:
    return Refreshed(raw["hook"]["resource"]["addr"])


def _started(raw: _Raw) -> Event:
    hook = raw["hook"]
    return ResourceStarted(
        hook["resource"]["addr"], hook["resource"]["resource_type"], hook["action"]
    )


def _progress(raw: _Raw) -> Event:
    hook = raw["hook"]
    return ResourceProgress(hook["resource"]["addr"], hook["action"], _seconds(hook))


def _done(raw: _Raw) -> Event:
    hook = raw["hook"]
    return ResourceDone(
        hook["resource"]["addr"], hook["action"], _seconds(hook), str(hook.get("id_value", ""))
    )


def _failed(raw: _Raw) -> Event:
    hook = raw["hook"]
    return ResourceFailed(hook["resource"]["addr"], hook["action"], _seconds(hook))


def _seconds(hook: _Raw) -> int:
    return int(hook.get("elapsed_seconds", 0))


def _diagnostic(raw: _Raw) -> Event:
    told = raw["diagnostic"]
    where = told.get("range") or {}
    return Diagnostic(
        "error" if told["severity"] == "error" else "warning",
        told["summary"],
        told.get("detail", ""),
        told.get("address", ""),
        where.get("filename", ""),
        (where.get("start") or {}).get("line", 0),
    )


def _summary(raw: _Raw) -> Event:
    count = raw["changes"]
    return Summary(count["operation"], count["add"], count["change"], count["remove"])


def _outputs(raw: _Raw) -> Event:
    outputs = raw["outputs"]
    values = {
        name: told["value"]
        for name, told in outputs.items()
        if "value" in told and not told.get("sensitive", False)
    }
    return Outputs(tuple(sorted(outputs)), values)


_KINDS: dict[str, Callable[[_Raw], Event | None]] = {
    "version": _text,
    "log": _text,
    "init_output": _text,
    "state_lock_acquire": lambda _: Locking(),
    "planned_change": _planned,
    "resource_drift": _drifted,
    "refresh_complete": _refreshed,
    "apply_start": _started,
    "apply_progress": _progress,
    "apply_complete": _done,
    "apply_errored": _failed,
    "diagnostic": _diagnostic,
    "change_summary": _summary,
    "outputs": _outputs,
}
