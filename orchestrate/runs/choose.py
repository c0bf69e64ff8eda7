"""Which stacks a run touches, and in what order they depend on each other. Pure.

`after` maps every stack to the stacks that must be applied before it.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping, Set

from orchestrate.errors import OrchestrateError

After = Mapping[str, Set[str]]


class UnknownStack(OrchestrateError):
    """A target on the command line names no stack."""


class LivingDependents(OrchestrateError):
    """A stack cannot be destroyed while others that need it still exist (S7)."""


def named(targets: Collection[str], everything: bool, after: After) -> frozenset[str]:
    """The stacks the operator named; `everything` (--all) and names exclude each other.

    Raises UnknownStack with the nearest valid names, for all wrong targets at once.
    """
    known = sorted(after)
    if everything and targets:
        raise OrchestrateError("--all and names exclude each other", fix="drop one of them")
    if not everything and not targets:
        raise OrchestrateError("no stack named", fix=f"name some of {', '.join(known)}, or --all")
    unknown = [name for name in targets if name not in after]
    if unknown:
        raise UnknownStack(
            f"no stack {', '.join(_with_hint(name, known) for name in unknown)}",
            fix=f"there are: {', '.join(known)}",
        )
    return frozenset(known if everything else targets)


def _with_hint(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"'{name}' (did you mean '{near[0]}'?)" if near else f"'{name}'"


def with_needed(names: Iterable[str], after: After) -> frozenset[str]:
    """The stacks and everything they come after, however far down."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += after[name]
    return frozenset(found)


def refuse_orphans(names: Set[str], alive: Set[str], after: After) -> None:
    """Raise LivingDependents when a stack to be destroyed is needed by one that stays (S7)."""
    kept = {
        name: sorted(other for other in alive - names if name in after.get(other, frozenset()))
        for name in sorted(names & alive)
    }
    needed = {name: others for name, others in kept.items() if others}
    if needed:
        lines = "; ".join(f"{name} is needed by {', '.join(o)}" for name, o in needed.items())
        first = sorted({other for others in needed.values() for other in others})
        raise LivingDependents(
            lines, fix=f"destroy {' '.join(first)} first, or in the same command"
        )


def inside(names: Set[str], after: After) -> dict[str, set[str]]:
    """The dependencies that matter within one run: both ends are part of it."""
    return {name: set(after[name]) & set(names) for name in names}


def reversed_order(after: After) -> dict[str, set[str]]:
    """The same dependencies for destroying: a stack goes after everything that needs it."""
    backwards: dict[str, set[str]] = {name: set() for name in after}
    for name, needs in after.items():
        for need in needs:
            backwards[need].add(name)
    return backwards
