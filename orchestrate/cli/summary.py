"""The tables an operator reads: what a plan would do, and how a run ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING

from orchestrate.changes import Action, Change, Provisional, count
from orchestrate.cli import differences_view, hosts_summary
from orchestrate.runs.data_guard import data_name
from orchestrate.runs.resume import resume_command
from orchestrate.runs.schedule import Outcome, Result
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.root import Applied

if TYPE_CHECKING:
    from rich.table import Table

    from orchestrate.apply import Plans
    from orchestrate.execution import Plan
    from orchestrate.run_report import Report
    from orchestrate.terraform.differences import Difference, Differences
    from orchestrate.terraform.events import Diagnostic

# So many resources that change alike are named; of more it is told how many of which type.
NAMED = 8
COLOURS = {
    Action.ADD: "green",
    Action.CHANGE: "yellow",
    Action.REPLACE: "magenta",
    Action.DESTROY: "red",
}
OUTCOMES = {
    Outcome.DONE: "green",
    Outcome.FAILED: "red",
    Outcome.INTERRUPTED: "yellow",
    Outcome.SKIPPED: "dim",
    Outcome.NOT_STARTED: "dim",
    Outcome.NOTHING: "dim",
}


def plan_table(plans: Plans) -> Table:
    """One row a stack: how many resources of each action."""
    table = _table("stack", *map(str, Action), "")
    for stack, plan in sorted(plans.items(), key=lambda item: isinstance(item[1], Provisional)):
        if isinstance(plan, Provisional):
            table.add_row(stack, *["?"] * len(Action), _waits(plan), style="dim")
        else:
            table.add_row(stack, *_counts(plan), _remark(plan))
    return table


def results_table(report: Report) -> Table:
    """One row a stack: how it ended, what it did, how long it took."""
    table = _table("stack", "outcome", "added", "changed", "destroyed", "seconds", "")
    for stack, result in report.final.items():
        did = result.value if isinstance(result.value, Applied) else None
        numbers = [str(n) for n in (did.add, did.change, did.remove)] if did else ["", "", ""]
        outcome = f"[{OUTCOMES[result.outcome]}]{result.outcome}[/]"
        table.add_row(stack, outcome, *numbers, f"{result.seconds:.0f}", _became(result))
    return table


def _became(result: Result[Plan] | Result[Applied]) -> str:
    if result.outcome is Outcome.NOTHING:
        return "never applied, or destroyed before"
    return f"{result.because} failed" if result.because else ""


def left_behind(report: Report, target: str) -> Iterator[str]:
    """What exists and is not in the fleet any more, and what to do about it."""
    if report.left_behind:
        names = " ".join(report.left_behind)
        yield (
            f"\n[yellow]not in the fleet any more, and still there[/]: "
            f"{', '.join(report.left_behind)}\n  destroy it with "
            f"[bold]orchestrate destroy {names} --target {target}[/], or bring its file back"
        )


def details(plans: Plans, *, everything: bool) -> Iterator[tuple[str, list[str]]]:
    """Headings with lines: each destructive change, warnings, and with `everything` all changes."""
    from rich.markup import escape

    changes = [change for plan in plans.values() for change in _changes(plan)]
    rows = {stack: _differences(plan) for stack, plan in plans.items()}
    destructive = [change for change in changes if change.destructive]
    gentle = [change for change in changes if not change.destructive]
    if everything and gentle:
        yield "[bold]Changes[/]", _lines(gentle, rows)
    if destructive:
        yield "[bold red]Destructive changes[/]", _lines(destructive, rows)
    data = [change for change in changes if change.destroys_data]
    if data:
        lines = [f"  [red]{escape(data_name(change))}[/]" for change in data]
        yield "[bold red]Data that would be lost[/]", lines
    warnings = sorted({w.summary for p in plans.values() for w in _warnings(p)})
    if warnings:
        yield "[bold yellow]Terraform warns[/]", [f"  {escape(warning)}" for warning in warnings]


def causes(report: Report) -> Iterator[str]:
    """For each stack that failed: the whole cause, and where its log is."""
    from rich.markup import escape

    for stack, result in report.results.items():
        if result.outcome is Outcome.FAILED and result.error:
            yield f"\n[red]{stack}[/]: {escape(result.error.what)}"
            yield f"  log:  {escape(str(report.folder / 'logs' / f'{stack}.log'))}"
            if result.error.fix:
                yield f"  next: {escape(result.error.fix)}"


def next_steps(report: Report, target: str) -> Iterator[str]:
    """What to type next: the command that does what is left, or nothing when all is done."""
    left = [
        name
        for name, result in report.applied.items()
        if result.outcome is not Outcome.DONE and name not in report.partial
    ]
    if left:
        command = "destroy" if report.destroying else "apply"
        yield f"\nto do what is left: [bold]{resume_command(command, tuple(left), target)}[/]"
    yield f"[dim]run {report.run}; journal and logs in {report.folder}[/]"


def report_json(report: Report) -> dict[str, object]:
    """A run as data: plans, results, exit code."""
    return {
        "run": report.run,
        "exit_code": report.exit_code,
        "plans": {name: _planned_json(r.value, r.error) for name, r in report.planned.items()},
        "results": {
            name: {
                "outcome": str(r.outcome),
                "added": r.value.add if isinstance(r.value, Applied) else None,
                "changed": r.value.change if isinstance(r.value, Applied) else None,
                "destroyed": r.value.remove if isinstance(r.value, Applied) else None,
                "seconds": round(r.seconds, 1),
                "error": str(r.error) if r.error else None,
                "because": r.because or None,
            }
            for name, r in report.final.items()
        }
        if report.command != "plan"
        else {},
        "notes": list(report.notes),
        "in_the_way": [asdict(one) for one in report.in_the_way],
        "absent": list(report.absent),
        "left_behind": list(report.left_behind),
        "hosts": hosts_summary.as_json(report.hosts, report.folder / "logs")
        if report.hosts
        else None,
    }


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        words = column in ("stack", "outcome", "")
        table.add_column(column, justify="left" if words else "right")
    return table


def _counts(plan: StackPlan) -> list[str]:
    found = count(plan.changes)
    return [f"[{COLOURS[a]}]{n}[/]" if n else "[dim]·[/]" for a, n in found.items()]


def _waits(plan: Provisional) -> str:
    verb = "is" if len(plan.waits_for) == 1 else "are"
    return f"provisional: planned once {', '.join(sorted(plan.waits_for))} {verb} applied"


def _remark(plan: StackPlan) -> str:
    if plan.empty:
        return "[dim]no changes[/]"
    return "" if plan.changes else "outputs only"


def _lines(changes: Collection[Change], rows: Mapping[str, Differences]) -> list[str]:
    """Every change, and below it what it changes; told once for all of which it is the same."""
    alike: dict[tuple[object, ...], list[Change]] = {}
    for each in changes:
        found = rows[each.stack].get(each.address, ())
        # `repr`, as values may be lists, which are no keys.
        own = (each.action, repr(found)) if found else (each.stack, each.address)
        alike.setdefault(own, []).append(each)
    lines: list[str] = []
    # What many have in common first: what is particular stands last, next to the question.
    for group in sorted(alike.values(), key=len, reverse=True):
        lines += _tally(group) if _many(group) else [_line(each) for each in group]
        lines += differences_view.lines(rows[group[0].stack].get(group[0].address, ()))
    return lines


def _many(alike: Sequence[Change]) -> bool:
    """Whether their names would hide what changes; what goes is always named."""
    return len(alike) > NAMED and not any(change.destructive for change in alike)


def _tally(alike: Sequence[Change]) -> Iterator[str]:
    """How many resources of which types change alike, in place of their names."""
    action, stacks = alike[0].action, sorted({change.stack for change in alike})
    said = f"{action:<7}[/] {', '.join(stacks)}  {len(alike)} resources alike, named by --json:"
    yield f"  [{COLOURS[action]}]{said}"
    types = Counter(change.resource_type for change in alike).most_common()
    # No line ends between a number and its type.
    words = ", ".join(f"{number}\N{NO-BREAK SPACE}{kind}" for kind, number in types)
    indent = " " * 10
    for line in wrap(words, 78, initial_indent=indent, subsequent_indent=indent):
        yield line.replace("\N{NO-BREAK SPACE}", " ")


def _line(change: Change) -> str:
    from rich.markup import escape

    said = f"{change.action:<7}[/] {change.stack}  {escape(change.address)}"
    because = f"  [dim]({escape(change.reason)})[/]" if change.reason else ""
    return f"  [{COLOURS[change.action]}]{said}{because}"


def _changes(plan: Plan) -> tuple[Change, ...]:
    return plan.changes if isinstance(plan, StackPlan) else ()


def _differences(plan: Plan) -> Differences:
    return plan.differences if isinstance(plan, StackPlan) else {}


def _warnings(plan: Plan) -> tuple[Diagnostic, ...]:
    return plan.warnings if isinstance(plan, StackPlan) else ()


def _planned_json(plan: Plan | None, error: object) -> dict[str, object]:
    if plan is None:
        return {"error": str(error) if error else "not planned"}
    if isinstance(plan, Provisional):
        return {"provisional": True, "waits_for": sorted(plan.waits_for)}
    return {
        "provisional": False,
        "empty": plan.empty,
        "counts": {str(action): n for action, n in count(plan.changes).items()},
        "changes": [
            _change_json(change, plan.differences.get(change.address, ()))
            for change in plan.changes
        ],
        "warnings": [warning.summary for warning in plan.warnings],
    }


def _change_json(change: Change, rows: Sequence[Difference]) -> dict[str, object]:
    return {
        "action": str(change.action),
        "address": change.address,
        "type": change.resource_type,
        "reason": change.reason,
        "destroys_data": change.destroys_data,
        "attributes": [differences_view.as_json(row) for row in rows],
    }
