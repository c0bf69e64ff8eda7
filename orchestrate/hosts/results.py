"""What came of converging a host: its client's report, and how it counts. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How it ended for a host.

    UNREACHABLE: we never got in, nothing was done. NOT_STARTED: the rollout ended before its turn.
    LEFT: the converge had begun and we stopped listening; the host finishes it by itself.
    """

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    NOT_STARTED = "not started"
    LEFT = "left running"


@dataclass(frozen=True)
class Update:
    """One resource that was changed, or with why-run would be; `changes` a diff or one line."""

    resource: str
    action: str
    where: str
    changes: str = ""


@dataclass(frozen=True)
class Report:
    """What Chef, or the lab's stand-in for it, says of its run: `report.json`.

    `resources` is how many it looked at. `error` is "" if it succeeded, `where` the place of the
    recipe that failed, relative to the folder `chef`.
    """

    client: str
    resources: int
    updates: tuple[Update, ...]
    error: str = ""
    where: str = ""


@dataclass(frozen=True)
class Run:
    """What `run.sh` tells at its end. The units are those in trouble before and after."""

    troubled_before: frozenset[str]
    troubled_now: frozenset[str]
    report: Report | None


@dataclass(frozen=True)
class Result:
    """How it went with one host. `cause`, `where` and `fix` say why, where it didn't go well.

    `troubled` are the systemd units that were failed before we came.
    """

    host: str
    outcome: Outcome
    cause: str = ""
    where: str = ""
    fix: str = ""
    report: Report | None = None
    seconds: float = 0.0
    troubled: frozenset[str] = frozenset()

    @property
    def well(self) -> bool:
        return self.outcome in (Outcome.CHANGED, Outcome.UNCHANGED)


@dataclass(frozen=True)
class Results:
    """All hosts of a rollout, in the order they were named; `stopped` says why it ended early."""

    hosts: tuple[Result, ...]
    stopped: str = ""
    interrupted: bool = False

    def among(self, *outcomes: Outcome) -> list[Result]:
        return [one for one in self.hosts if one.outcome in outcomes]

    @property
    def well(self) -> bool:
        return all(one.well for one in self.hosts)


def count(results: Iterable[Result]) -> dict[Outcome, int]:
    """How many ended how, those outcomes only that there are, in the order of Outcome."""
    seen = [one.outcome for one in results]
    return {outcome: seen.count(outcome) for outcome in Outcome if outcome in seen}


def told(stderr: str) -> Run | None:
    """What `run.sh` wrote to stderr; None if it did not get to its end."""
    lines = stderr.splitlines()
    units = {
        label: frozenset(line.removeprefix(label).split())
        for line in lines
        for label in ("troubled before:", "troubled now:")
        if line.startswith(label)
    }
    if len(units) < 2:
        return None
    _, found, rest = stderr.partition("\n{")
    return Run(
        units["troubled before:"], units["troubled now:"], report("{" + rest) if found else None
    )


def report(text: str) -> Report | None:
    """A `report.json`; None if it is none, as when the host's disk is full."""
    try:
        content = json.loads(text)
        failed: Mapping[str, Any] = content["failed"] or {}
        return Report(
            client=str(content["client"]),
            resources=int(content["resources"]),
            updates=tuple(_updates(content["updated"])),
            error=_sentence(failed),
            where=str(failed.get("where") or ""),
        )
    # A host may say anything, also JSON of another shape and depth.
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _updates(found: Sequence[Mapping[str, Any]]) -> Iterable[Update]:
    for one in found:
        cookbook, recipe, line = (one.get(key) for key in ("cookbook", "recipe", "line"))
        where = f"cookbooks/{cookbook}/recipes/{recipe}.rb:{line}" if cookbook and recipe else ""
        changes = str(one.get("changes") or "")
        yield Update(str(one["resource"]), str(one["action"]), where, changes)


def _sentence(failed: Mapping[str, Any]) -> str:
    resource, error = str(failed.get("resource") or ""), str(failed.get("error") or "")
    return f"{resource}: {error}" if resource and error else error or resource
