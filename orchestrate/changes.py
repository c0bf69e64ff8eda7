"""What a plan would do, as data: computed once, then printed, applied or refused. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """What happens to one resource. REPLACE is Terraform's delete-and-create in either order."""

    ADD = "add"
    CHANGE = "change"
    REPLACE = "replace"
    DESTROY = "destroy"


DESTRUCTIVE = frozenset({Action.REPLACE, Action.DESTROY})

# Losing one of these loses what people keep in it; all else can be built again.
DATA_TYPES = frozenset({"aws_efs_file_system", "aws_s3_bucket", "aws_route53_zone"})


@dataclass(frozen=True)
class Change:
    """One planned difference. `address` is Terraform's: `module.storage.aws_s3_bucket.this`.

    Of something `unfinished` a run of this fleet began to make it, and never came to its end.
    """

    stack: str
    address: str
    resource_type: str
    action: Action
    reason: str = ""
    unfinished: bool = False

    @property
    def destructive(self) -> bool:
        return self.action in DESTRUCTIVE

    @property
    def destroys_data(self) -> bool:
        """Whether people may lose something; what nothing has used is no data to lose."""
        anew = self.unfinished and self.action is Action.REPLACE
        return self.destructive and self.resource_type in DATA_TYPES and not anew


def count(changes: Iterable[Change]) -> dict[Action, int]:
    """How many changes of each action, every action present."""
    found = Counter(change.action for change in changes)
    return {action: found[action] for action in Action}


@dataclass(frozen=True)
class Provisional:
    """A stack that cannot be planned yet: it reads ids of stacks that aren't applied."""

    stack: str
    waits_for: frozenset[str]
