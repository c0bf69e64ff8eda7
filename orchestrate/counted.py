"""How far the apply of a stack has come."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from orchestrate.errors import AwsError
from orchestrate.terraform import state
from orchestrate.terraform.events import Event, ResourceDone, ResourceFailed


@dataclass
class Counted:
    """How many of the changes of a stack are done; `broken` are the addresses of what was being
    made and failed, by a fault or an interrupt.
    """

    changes: int
    done: int = 0
    broken: list[str] = field(default_factory=list)

    def hear(self, event: Event) -> None:
        self.done += isinstance(event, ResourceDone)
        if isinstance(event, ResourceFailed) and event.action == "create":
            self.broken.append(event.address)

    def told(self, state_of: Callable[[], bytes | None]) -> dict[str, int | Sequence[str]]:
        """For the journal of an apply that didn't come to its end; with the state that it left."""
        told: dict[str, int | Sequence[str]] = {
            "done": self.done,
            "changes": self.changes,
            "broken": sorted(self.broken),
        }
        try:
            return {**told, "serial": state.position(state_of()).serial}
        except AwsError:
            return told
