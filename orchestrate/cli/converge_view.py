"""How a converge ended, as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate.cli import left_out
from orchestrate.cli.console import named
from orchestrate.cli.host_progress import COLOURS, word
from orchestrate.hosts.results import Outcome, Report, Result, Results, Update, count

if TYPE_CHECKING:
    from rich.table import Table

NAMED = 6
LONGEST = 70


def whole(
    results: Results,
    skipped: Mapping[str, str],
    folder: Path,
    keys_taken: Sequence[str],
    *,
    why_run: bool,
) -> Iterator[Table | str]:
    """All that is printed at the end; `folder` is the run's."""
    from rich.markup import escape

    if results.hosts or skipped:
        yield table(results, skipped, why_run=why_run)
    if why_run:
        yield from differences(results)
    yield from causes(results, folder / "logs")
    yield from last_words(results, len(skipped), why_run=why_run)
    if keys_taken:
        yield first_keys(keys_taken)
    yield f"[dim]run {folder.name}; journal and logs in {escape(str(folder))}[/]"


def table(results: Results, skipped: Mapping[str, str], *, why_run: bool) -> Table:
    """One row a host: how it ended, and of how many resources how many were changed; or why
    nothing was done to it.
    """
    from rich.markup import escape
    from rich.table import Table

    rows = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("host", "outcome", "changed", "seconds", ""):
        numbers = column in ("changed", "seconds")
        rows.add_column(column, justify="right" if numbers else "left", overflow="fold")
    for one in results.hosts:
        rows.add_row(
            one.host,
            f"[{COLOURS[one.outcome]}]{word(one.outcome, why_run=why_run)}[/]",
            _changed(one.report),
            f"{one.seconds:.1f}" if one.seconds else "",
            escape(_short(one.cause)),
        )
    for host, why in skipped.items():
        rows.add_row(host, left_out.MARK, "", "", escape(why))
    return rows


def causes(results: Results, logs: Path) -> Iterator[str]:
    """Why hosts didn't go well: the whole cause, its place, logs and the next step, told once for
    all hosts of which the same is to be told.
    """
    from rich.markup import escape

    alike: dict[tuple[Outcome, str, str, str], list[str]] = {}
    for one in results.among(Outcome.FAILED, Outcome.UNREACHABLE, Outcome.LEFT):
        alike.setdefault((one.outcome, one.cause, one.where, one.fix), []).append(one.host)
    for (outcome, cause, where, fix), hosts in alike.items():
        yield f"\n[{COLOURS[outcome]}]{named(hosts)}[/]: {escape(cause)}"
        if where:
            yield f"  at:   {escape(where)}"
        if outcome is Outcome.FAILED:
            yield f"  log:  {escape(str(logs / hosts[0]))}.log" + (", …" if len(hosts) > 1 else "")
        if fix:
            yield f"  next: {escape(fix)}"


def differences(results: Results) -> Iterator[str]:
    """What why-run shows, hosts of which the same is told together."""
    from rich.markup import escape

    alike: dict[tuple[Update, ...], list[str]] = {}
    for one in results.among(Outcome.CHANGED):
        alike.setdefault(one.report.updates if one.report else (), []).append(one.host)
    for updates, hosts in alike.items():
        yield f"\n[bold]{named(hosts)}[/]"
        for update in updates:
            where = f"  [dim]{escape(update.where)}[/]" if update.where else ""
            yield f"  [yellow]{escape(update.action)}[/] {escape(update.resource)}{where}"
            for line in update.changes.splitlines():
                yield f"      {_coloured(escape(line))}"


def last_words(results: Results, skipped: int, *, why_run: bool) -> Iterator[str]:
    """The counts in one line; why it ended early, and who was never reached."""
    counts = count(results.hosts).items()
    words = [f"{number} {word(outcome, why_run=why_run)}" for outcome, number in counts]
    words += [f"{skipped} left out"] if skipped else []
    yield "\n" + (", ".join(words) or "nothing to converge")
    left = [one.host for one in results.among(Outcome.NOT_STARTED)]
    if left:
        why = results.stopped or "Ctrl-C"
        yield f"[yellow]stopped[/] ({why}); not started: {', '.join(left)}"


def first_keys(hosts: Sequence[str]) -> str:
    """What to say of hosts whose key was taken as it came."""
    if len(hosts) == 1:
        whose, them, they_are = f"the key of {hosts[0]}", "it", "it is"
    else:
        whose, them, they_are = f"the keys of {named(hosts)}", "them", "they are"
    return (
        f"note: {whose} came with the first connection, as no console had shown {them}; "
        f"{they_are} checked from now on"
    )


def as_json(
    results: Results,
    skipped: Mapping[str, str],
    folder: Path,
    code: int,
    *,
    why_run: bool = False,
) -> dict[str, object]:
    """All of it, for programs; `folder` is the run's. With why-run a host `would change`."""
    return {
        "run": folder.name,
        "exit_code": code,
        "stopped": results.stopped or None,
        "counts": {
            word(outcome, why_run=why_run): n for outcome, n in count(results.hosts).items()
        },
        "skipped": dict(skipped),
        "hosts": {
            one.host: host_json(one, folder / "logs", why_run=why_run) for one in results.hosts
        },
    }


def host_json(one: Result, logs: Path, *, why_run: bool = False) -> dict[str, object]:
    """One host's result, for programs; `logs` is the folder of the hosts' logs."""
    report = one.report
    return {
        "outcome": word(one.outcome, why_run=why_run),
        "cause": one.cause or None,
        "where": one.where or None,
        "fix": one.fix or None,
        "seconds": round(one.seconds, 1),
        "client": report.client if report else None,
        "resources": report.resources if report else None,
        "updated": [asdict(update) for update in report.updates] if report else [],
        "log": str(logs / f"{one.host}.log"),
    }


def _changed(report: Report | None) -> str:
    return f"{len(report.updates)}/{report.resources}" if report else ""


def _short(cause: str) -> str:
    """What fits into a row; the whole stands below the table."""
    first = (cause.splitlines() or [""])[0]
    return first if len(first) <= LONGEST else first[: LONGEST - 2] + " …"


def _coloured(line: str) -> str:
    colour = {"+": "green", "-": "red"}.get(line[:1])
    return f"[{colour}]{line}[/]" if colour else line
