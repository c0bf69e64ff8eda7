"""What an operator sees of a verification: hosts as they are done, failures, one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from orchestrate.cli import left_out
from orchestrate.cli.console import console, named, print_json
from orchestrate.verify.verdicts import Case, Outcome, State, Verdict, Verdicts

if TYPE_CHECKING:
    from rich.table import Table

COLOURS = {
    State.PASSED: "green",
    State.FAILED: "red",
    State.UNREACHABLE: "magenta",
    State.UNTESTED: "yellow",
    State.LEFT_OUT: "yellow",
}
# Of a command's output the end is shown; the log has more.
SHOWN_LINES = 12


def show(verdicts: Verdicts, undone: Sequence[str], *, as_json: bool) -> None:
    """The end of a run: what failed, host by host how it stands, and where to read on. Of `undone`
    words no host was tested.
    """
    if as_json:
        print_json(json_of(verdicts, undone))
        return
    out = console()
    for line in failures(verdicts):
        out.print(line, soft_wrap=True)
    if verdicts.hosts:
        out.print()
        out.print(table(verdicts))
    for line in last_words(verdicts):
        out.print(line, soft_wrap=True)
    if undone:
        out.print(left_out.nothing_done(undone), soft_wrap=True)


def failures(verdicts: Verdicts) -> Iterator[str]:
    """Each failure once, with all the hosts that have it."""
    from rich.markup import escape

    alike: dict[tuple[str, str, str], list[tuple[str, Case]]] = {}
    for verdict in verdicts.hosts:
        for test in verdict.failures:
            alike.setdefault((test.suite, test.name, test.message), []).append((verdict.host, test))
    for (suite, name, message), found in alike.items():
        hosts, test = [host for host, _ in found], found[0][1]
        yield f"\n[red]failed[/]  [bold]{suite}: {escape(name)}[/]  [dim]{escape(test.where)}[/]"
        yield f"  on {named(hosts)}"
        yield from (f"  {escape(line)}" for line in message.splitlines())
        yield from (f"    [dim]{escape(line)}[/]" for line in _last_command(test))


def table(verdicts: Verdicts) -> Table:
    """One row a host."""
    from rich.markup import escape
    from rich.table import Table

    rows = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("host", "result", "passed", "failed", "skipped", "seconds", ""):
        numbers = column in ("passed", "failed", "skipped", "seconds")
        rows.add_column(column, justify="right" if numbers else "left", overflow="fold")
    for one in verdicts.hosts:
        rows.add_row(
            one.host,
            f"[{COLOURS[one.state]}]{one.state}[/]",
            *(str(one.count(outcome) or "") for outcome in Outcome),
            f"{one.seconds:.1f}" if one.seconds else "",
            escape(_note(one)),
        )
    return rows


def last_words(verdicts: Verdicts) -> Iterator[str]:
    """The counts in one line, who is concerned, the logs."""
    counts = [f"{len(found)} {state}" for state in State if (found := verdicts.of(state))]
    yield "\n" + (", ".join(counts) or "no host to verify")
    for state in (State.FAILED, State.UNREACHABLE):
        if hosts := [verdict.host for verdict in verdicts.of(state)]:
            yield f"[{COLOURS[state]}]{state}[/]: {named(hosts)}"
    if not verdicts.ok:
        yield f"logs: {verdicts.logs}"


def json_of(verdicts: Verdicts, undone: Sequence[str] = ()) -> dict[str, object]:
    """All of it, for programs."""
    return {
        "ok": verdicts.ok and not undone,
        "counts": {state.replace(" ", "_"): len(verdicts.of(state)) for state in State},
        "skipped": {one.host: one.left_out for one in verdicts.of(State.LEFT_OUT)},
        "undone": list(undone),
        "logs": str(verdicts.logs),
        "hosts": {one.host: _json(one) for one in verdicts.hosts},
    }


def _json(one: Verdict) -> dict[str, object]:
    return {
        "state": str(one.state),
        "unreachable": one.unreachable or None,
        "seconds": round(one.seconds, 1),
        "log": str(one.log) if one.log else None,
        "tests": [asdict(test) for test in one.tests],
    }


def _note(one: Verdict) -> str:
    if one.state is State.UNTESTED:
        return "its role has no suite, or no test fits"
    return one.unreachable or one.left_out


def _last_command(test: Case) -> list[str]:
    """The last command and the end of its output."""
    lines = test.commands.splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith("# ")]
    command, *output = lines[begins[-1] :] if begins else [""]
    return [command, *output[-SHOWN_LINES:]] if command else []
