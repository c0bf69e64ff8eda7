"""Who holds a state that Terraform waits for: told at once, not when its patience is over."""

import shlex
import socket
from collections.abc import Callable
from datetime import timedelta

from orchestrate import clock
from orchestrate.aws import state_bucket
from orchestrate.aws.state_bucket import Lock
from orchestrate.errors import AwsError, StateLocked
from orchestrate.runs import history, processes, resume
from orchestrate.terraform.events import Event, Locking
from orchestrate.workplace import Workplace

# Terraform speaks of a lock after 0.4 s: by then a slow S3 may have given it to ourselves.
OURS_WITHIN = timedelta(seconds=5)


def telling(
    work: Workplace, stack: str, follow: Callable[[Event], None]
) -> Callable[[Event], None]:
    """`follow`, to which is told as well whose lock it is that a stack's terraform waits for.

    What is returned raises StateLocked, which ends the wait, where an earlier run here provably
    left the lock behind.
    """

    def told(event: Event) -> None:
        lock = _held(work, stack) if isinstance(event, Locking) else None
        follow(Locking(_who(work, lock)) if lock else event)

    return told


def _held(work: Workplace, stack: str) -> Lock | None:
    """The lock that somebody else has on a stack's state; None where AWS doesn't say."""
    try:
        locks = state_bucket.locks(work.session, work.bucket)
    except AwsError:
        return None
    return next((lock for lock in locks if lock.stack == stack and not _ours(lock)), None)


def _who(work: Workplace, lock: Lock) -> str:
    who = f"{lock.who} ({lock.operation.lower()}, since {lock.since})"
    for run in history.newest_first(work.runs, work.target, "plan", "apply", "destroy"):
        if resume.lock_is_orphaned(run, lock.stack, lock.who, lock.created, processes.alive):
            raise StateLocked(
                f"the state is locked by {who}; run {run.id} left it behind, its terraform is gone",
                where=lock.stack,
                fix=f"orchestrate unlock {lock.stack} {shlex.quote(lock.id)}",
                lock_id=lock.id,
                who=lock.who,
                created=lock.created,
            )
    return who


def _ours(lock: Lock) -> bool:
    taken = resume.moment(lock.created)
    here = lock.who.rpartition("@")[2] == socket.gethostname()
    return here and taken is not None and clock.now() - taken < OURS_WITHIN
