"""Stacks that leave: which a destroy takes, what `mesh` loses before them, and from what roots.

Terraform destroys by the state. The root of a stack that leaves is its backend and its providers,
so that nothing which only a living stack needs (an image, another stack's state, the cluster's
file) is asked of one that goes.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import AwsError
from orchestrate.runs import choose
from orchestrate.runs.saved_plan import SavedPlan
from orchestrate.terraform import mesh_links, roots, state, write
from orchestrate.terraform.roots import GLOBAL, MESH
from orchestrate.workplace import Workplace


@dataclass(frozen=True)
class Leaving:
    """`stacks` are destroyed whole; `links` are Terraform's addresses of what mesh loses first,
    where mesh itself stays; `absent` were named and have nothing.
    """

    stacks: frozenset[str]
    links: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def touched(self) -> frozenset[str]:
        """Every stack that is planned and changed."""
        return self.stacks | ({MESH} if self.links else frozenset())

    @property
    def partial(self) -> Mapping[str, tuple[str, ...]]:
        """Stacks that stay, with the addresses that they lose."""
        return {MESH: self.links} if self.links else {}


NOBODY = Leaving(frozenset())


def chosen(work: Workplace, targets: Collection[str], *, everything: bool) -> Leaving:
    """What a destroy of these targets takes.

    Raises UnknownStack, and LivingDependents where a stack is needed by one that stays (S7). A
    cluster isn't: mesh loses the links of clusters that leave, and no others.
    """
    after = {name: stack.after for name, stack in work.known.items()}
    # One that was destroyed before its file went is still known by its empty state.
    once = {name: frozenset[str]() for name in work.with_state if name in targets}
    named = choose.named(targets, everything, {**once, **after})
    going = named & work.alive
    clusters = going - {GLOBAL, MESH}
    links: tuple[str, ...] = ()
    if MESH in work.alive - named:
        links = mesh_links.of(work.state_of(MESH), clusters)
        after[MESH] = after[MESH] - clusters
    choose.refuse_orphans(named, work.alive, after)
    return Leaving(going, links, tuple(sorted(named - work.alive)))


def of_saved(work: Workplace, saved: SavedPlan) -> Leaving:
    """What a destroy planned earlier takes."""
    whole = [name for name, stack in saved.stacks.items() if not stack.partial]
    return chosen(work, whole, everything=False)


def render(work: Workplace, leaving: Leaving) -> None:
    """Write the roots that a destroy is planned from and applied with."""
    for name in leaving.stacks:
        stack = work.known[name]
        aliases = state.aliases(work.state_of(name))
        write.write(work.leaving / name, roots.leaving(work.fleet, stack, aliases))
    if leaving.links:
        _write_mesh(work, work.leaving, leaving.stacks)


def keep_providers(work: Workplace) -> None:
    """Let mesh's usual root have a provider for every region that mesh still has something in: for
    links of clusters whose files are gone, which an apply of mesh takes away.
    """
    with suppress(AwsError, state.Unreadable):  # Terraform says it of the same bucket and state
        _write_mesh(work, work.build, ())


def _write_mesh(work: Workplace, folder: Path, without: Collection[str]) -> None:
    aliases = state.aliases(work.state_of(MESH))
    modules = write.modules_from(folder)
    files = roots.mesh_with(work.fleet, work.ranges, modules, aliases, without=without)
    write.write(folder / MESH, files)
