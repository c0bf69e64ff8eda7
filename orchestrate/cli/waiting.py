"""What an operator sees while hosts come up."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from orchestrate.hosts.wait import Waiting

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

SHOWN = 6


@contextmanager
def watching() -> Iterator[Callable[[Waiting], None]]:
    """What hears of each change prints it, and says on the last line who is still silent."""
    from orchestrate.cli.terminal import Terminal

    out = Terminal(stderr=True)
    with out.status("looking for hosts") as status:
        yield _teller(out, status)


def _teller(out: "Console", status: "Status") -> Callable[[Waiting], None]:
    """Print each host once, when it has answered; say below what is still lacking."""
    from rich.markup import escape

    told: set[str] = set()

    def tell(now: Waiting) -> None:
        for host in now.answering:
            if host.name not in told:
                told.add(host.name)
                out.print(f"[green]answers[/]  {host.name}  [dim]{host.address}[/]")
        if not now.done:
            status.update(escape(lacking(now)))

    return tell


def lacking(now: Waiting) -> str:
    """Who answers and who doesn't, in one sentence."""
    whole = len(now.answering) + len(now.silent) + now.missing
    names = [host.name for host in now.silent[:SHOWN]]
    if len(now.silent) > SHOWN:
        names.append(f"{len(now.silent) - SHOWN} more")
    if now.missing:
        names.append(f"{now.missing} not launched yet")
    return f"{len(now.answering)} of {whole} hosts answer; waiting for {', '.join(names)}"


def next_step(target: str) -> str:
    """Where to look for why a host doesn't answer."""
    if target == "lab":
        return "look at them with `orchestrate lab status` and `orchestrate lab logs`"
    return "look at their console output in EC2, and at the activity of their auto scaling group"
