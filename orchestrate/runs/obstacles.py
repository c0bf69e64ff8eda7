"""What would make a destroy fail midway, decided from what was seen before it begins. Pure.

What is in a bucket or a zone goes with it: naming the data named that. What others did to a group
or put into a VPC is theirs: it is taken away only where `--force` names it, and some only by them.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from orchestrate.errors import OrchestrateError
from orchestrate.runs.data_guard import names


class InTheWay(OrchestrateError):
    """Something that others made keeps a stack from being destroyed."""


@dataclass(frozen=True)
class Obstacle:
    """One thing in the way, called `STACK/KIND/NAME`. `remedy` is what is done about it, "" where
    only its owner can; `free` needs no `--force`. `unseen` is none, but a look that was refused.
    """

    name: str
    what: str
    remedy: str = ""
    free: bool = False
    unseen: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.what}" + (f"; {self.remedy}" if self.remedy else "")


def of_bucket(name: str, versions: int, most: int) -> Iterable[Obstacle]:
    """A bucket that holds something; `most` is where counting stopped."""
    if versions:
        more = "or more " if versions >= most else ""
        yield Obstacle(
            name, f"holds {versions:,} {more}objects and versions", "it is emptied first", free=True
        )


def of_zone(
    name: str, records: Iterable[tuple[str, str]], ours: Collection[tuple[str, str]]
) -> Iterable[Obstacle]:
    """A zone with records, as (name, type), that no stack of this run made."""
    # Route 53 writes a wildcard's star as \052.
    known = {(record.rstrip("."), kind) for record, kind in ours}
    plain = [(record.replace("\\052", "*").rstrip("."), kind) for record, kind in records]
    foreign = [f"{record} {kind}" for record, kind in plain if (record, kind) not in known]
    if foreign:
        what = f"has records that others made: {', '.join(foreign)}"
        yield Obstacle(name, what, "they are deleted first", free=True)


def of_group(
    name: str, suspended: Collection[str], protected: Collection[str]
) -> Iterable[Obstacle]:
    """A group that would wait for ever for its instances to end."""
    why = ["its process Terminate is suspended"] if "Terminate" in suspended else []
    if protected:
        why.append(f"{', '.join(sorted(protected))} protected from scale-in")
    if why:
        yield Obstacle(
            name, " and ".join(why), "both are lifted first" if why[1:] else "it is lifted"
        )


def of_interface(
    stack: str, interface: str, instance: str, in_use: bool, description: str
) -> Obstacle:
    """A network interface in a VPC that no stack of this run made, nor a group of it."""
    if instance:
        what = f"runs in its VPC, and nothing of this fleet made it (by {interface})"
        return Obstacle(f"{stack}/instance/{instance}", what)
    about = f" ({description})" if description else ""
    if in_use:
        return Obstacle(f"{stack}/interface/{interface}", f"is in use in its VPC{about}")
    what = f"is left over in its VPC{about}"
    return Obstacle(f"{stack}/interface/{interface}", what, "it is deleted first")


def beforehand(one: Obstacle) -> str:
    """A line for a plan: what is in its way, and what an apply of it would want to be told."""
    if one.free or one.unseen:
        return str(one)
    needs = f"with --force {one.name}" if one.remedy else "only its owner can take it away"
    return f"in the way: {one}; {needs}"


def refuse_unforced(found: Iterable[Obstacle], forced: Collection[str]) -> None:
    """Raise InTheWay with everything that is in the way and neither free nor named to be forced."""
    left = [one for one in found if not one.free and not (one.remedy and _named(one, forced))]
    if not left:
        return
    lines = "".join(f"\n    {one}" for one in left)
    may = " ".join(f"--force {one.name}" for one in left if one.remedy)
    theirs = "" if all(one.remedy for one in left) else "take away what is not to be forced"
    steps = [f"if that is meant, add {may}" if may else "", theirs]
    raise InTheWay(
        f"nothing was destroyed, as it would fail midway:{lines}",
        fix="; ".join(filter(None, steps)),
    )


def _named(one: Obstacle, forced: Collection[str]) -> bool:
    return any(names(pattern, one.name) for pattern in forced)
