"""How the hosts of an apply ended, as an operator reads it and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate.cli import converge_view, host_progress, verify_view
from orchestrate.cli.console import named
from orchestrate.cli.waiting import lacking, next_step
from orchestrate.hosts.results import Result, Results
from orchestrate.verify.verdicts import Verdict

if TYPE_CHECKING:
    from rich.table import Table

    from orchestrate.brought_up import BroughtUp

COLOURS = {
    "as wanted": "dim",
    "left as it is": "yellow",
    **{str(outcome): colour for outcome, colour in host_progress.COLOURS.items()},
    **{str(state): colour for state, colour in verify_view.COLOURS.items()},
}


def whole(hosts: BroughtUp, logs: Path, target: str) -> Iterator[Table | str]:
    """A row a host, then what went wrong, then what is lacking; `logs` is the run's folder."""
    if hosts.waited.answering:
        yield table(hosts)
    if hosts.converged:
        yield from converge_view.causes(hosts.converged, logs)
    if hosts.verified:
        yield from verify_view.failures(hosts.verified)
    yield from _last_words(hosts, target)


def table(hosts: BroughtUp) -> Table:
    """One row a host that answers: what was done to it, what its tests say."""
    from rich.table import Table

    rows = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("host", "converged", "changed", "verified", "tests"):
        rows.add_column(column, justify="right" if column in ("changed", "tests") else "left")
    converged = _by_host(hosts.converged)
    verified = {one.host: one for one in hosts.verified.hosts} if hosts.verified else {}
    for host in hosts.waited.answering:
        did, verdict = converged.get(host.name), verified.get(host.name)
        changed = str(len(did.report.updates)) if did and did.report else ""
        rows.add_row(
            host.name,
            _coloured(_said(hosts, host.name, did)),
            changed,
            _coloured(str(verdict.state)) if verdict else "",
            _passed(verdict) if verdict else "",
        )
    return rows


def as_json(hosts: BroughtUp, logs: Path) -> dict[str, object]:
    """All of it, for programs."""
    return {
        "answering": [host.name for host in hosts.waited.answering],
        "silent": [host.name for host in hosts.waited.silent],
        "not_launched": hosts.waited.missing,
        "as_wanted": list(hosts.current),
        "left_as_they_are": list(hosts.declined),
        "skipped": dict(hosts.skipped),
        "interrupted": hosts.interrupted,
        "left_out": [one.as_json() for each in hosts.strangers for one in each.findings],
        "converged": hosts.converged
        and {one.host: converge_view.host_json(one, logs) for one in hosts.converged.hosts},
        "verified": hosts.verified and verify_view.json_of(hosts.verified),
    }


def _last_words(hosts: BroughtUp, target: str) -> Iterator[str]:
    from rich.markup import escape

    for name, why in hosts.skipped.items():
        yield f"[dim]left out: {name}: {why}[/]"
    for finding in (each for stranger in hosts.strangers for each in stranger.findings):
        yield escape(str(finding))
    if hosts.first_keys:
        yield converge_view.first_keys(hosts.first_keys)
    if hosts.declined:
        names = named(hosts.declined)
        yield f"[yellow]left as they are[/]: {names}; see `orchestrate converge --why-run`"
    if not hosts.waited.done:
        yield f"[yellow]{lacking(hosts.waited)}[/]\n  next: {next_step(target)}"
    if hosts.interrupted:
        yield "[yellow]interrupted[/]: the hosts were not all brought up; apply again to go on"


def _said(hosts: BroughtUp, host: str, did: Result | None) -> str:
    if did:
        return str(did.outcome)
    if host in hosts.skipped:
        return "left out"
    if host in hosts.current:
        return "as wanted"
    return "left as it is" if host in hosts.declined else ""


def _passed(verdict: Verdict) -> str:
    return f"{len(verdict.tests) - len(verdict.failures)}/{len(verdict.tests)}"


def _by_host(results: Results | None) -> dict[str, Result]:
    return {one.host: one for one in results.hosts} if results else {}


def _coloured(word: str) -> str:
    colour = COLOURS.get(word)
    return f"[{colour}]{word}[/]" if colour else word
