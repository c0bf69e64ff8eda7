"""What is left of a plan while it is applied, less what nobody has to wait for. Pure."""

from collections import Counter
from collections.abc import Collection

from orchestrate.changes import Action
from orchestrate.terraform.events import Event, ResourceDone
from orchestrate.terraform.plan import StackPlan

# Settings of what is there already; no host can tell whether S3 has confirmed them (55 s).
OF_NO_HOST = frozenset({"aws_s3_bucket_lifecycle_configuration"})
# A new zone is everywhere after 10 to 30 s; who doesn't read its id need not wait for that.
OF_NO_STACK = frozenset({"aws_route53_zone"})


class Remaining:
    """Follows the events of an apply. Not for use by two threads at once.

    `unhurried` are types of resources that whoever asks need not wait for: `OF_NO_HOST` where hosts
    are to come up, `OF_NO_STACK` where a stack is to begin that doesn't read this one.
    """

    def __init__(self, plan: StackPlan, unhurried: Collection[str]) -> None:
        # A replacement is two steps of one address, in either order.
        self._left = Counter(
            {
                one.address: 2 if one.action is Action.REPLACE else 1
                for one in plan.changes
                if one.resource_type not in unhurried
            }
        )

    def __bool__(self) -> bool:
        return self._left.total() > 0

    def heard(self, event: Event) -> bool:
        """Take note of an event; whether nothing is left since just now."""
        if not self or not isinstance(event, ResourceDone):
            return False
        self._left -= Counter([event.address])
        return not self
