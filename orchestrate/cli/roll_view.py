"""What a roll would do, and how it ended, as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from orchestrate.roll import Rolled
    from orchestrate.roll_plan import Pace, Plan

Names = Mapping[str, str]


def plan_table(plans: Sequence[Plan], pace: Pace) -> Table:
    """One row a group: how many hosts it has, how many are to go, and how many at once."""
    table = _table("group", "hosts", "to replace", "at once", "extra", "template version")
    for one in plans:
        wanted = one.wanted
        table.add_row(
            one.label,
            str(len(one.group.members)),
            str(len(one.old)) if one.old else "[dim]·[/]",
            str(pace.unavailable(wanted)) if one.old else "",
            str(min(pace.surge, len(one.old))) if one.old and pace.surge else "",
            one.template.version,
        )
    return table


def last_words(plans: Sequence[Plan], ended: Sequence[Rolled], names: Names) -> Iterator[str]:
    """How each group ended; `names` are the hosts' by instance id."""
    from rich.markup import escape

    for one in ended:
        colour = "green" if one.well else "yellow" if one.interrupted else "red"
        yield f"[{colour}]{one.label}[/]: {len(one.replaced)} replaced, {len(one.left)} left"
        if one.cause:
            yield f"  stopped: {escape(one.cause)}"
        if one.left:
            yield f"  still of an older template: {_listed(one.left, names)}"
        if one.larger:
            yield f"  AWS refused to give its size back: it has {one.larger} more than it should"
        if one.unchecked:
            yield f"  not seen in order yet: {_listed(one.unchecked, names)}"
    well = {one.label for one in ended if one.well}
    left = [one.label for one in plans if one.to_do and one.label not in well]
    begun = {one.label for one in ended}
    for each in plans:
        if each.label not in begun:
            yield f"[dim]{each.label}: {'not begun' if each.to_do else 'nothing to replace'}[/]"
    if left:
        yield f"\nto go on: [bold]orchestrate roll {' '.join(left)}[/]"


def as_json(
    plans: Sequence[Plan], ended: Sequence[Rolled], run: str, code: int
) -> dict[str, object]:
    """All of it, for programs."""
    done = {one.label: one for one in ended}
    return {
        "run": run or None,
        "exit_code": code,
        "groups": {
            one.label: {
                "name": one.group.name,
                "desired": one.group.desired,
                "template": one.template.id,
                "version": one.template.version,
                "old": list(one.old),
                "begun": one.label in done,
                **(_json(done[one.label]) if one.label in done else {}),
            }
            for one in plans
        },
    }


def _json(one: Rolled) -> dict[str, object]:
    return {
        "replaced": list(one.replaced),
        "left": list(one.left),
        "unchecked": list(one.unchecked),
        "cause": one.cause or None,
        "larger": one.larger,
        "interrupted": one.interrupted,
    }


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="left" if column == "group" else "right")
    return table


def _listed(ids: Sequence[str], names: Names) -> str:
    return ", ".join(names.get(each, each) for each in ids)
