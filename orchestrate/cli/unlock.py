"""`orchestrate unlock`: release a state lock whose owner is gone."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from orchestrate.cli.complete import complete_stacks
from orchestrate.cli.console import echo, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import NotConfirmed, OrchestrateError

if TYPE_CHECKING:
    from orchestrate.aws.state_bucket import Lock
    from orchestrate.target import Target


@click.command(name="unlock")
@click.argument("stack", shell_complete=complete_stacks)
@click.argument("lock_id", required=False)
@target_option
@click.option("--yes", "-y", "assume_yes", is_flag=True, help="Don't ask for confirmation.")
@json_option
@pass_context
def unlock_command(
    context: Context,
    stack: str,
    lock_id: str | None,
    target: str,
    assume_yes: bool,
    as_json: bool,
) -> int:
    """Release the lock of a stack's state. Only for a lock whose owner is gone for certain.

    Says first whether the last run here provably left it behind. With LOCK_ID it releases only
    that lock, not one that somebody took since.
    """
    from orchestrate.aws import state_bucket
    from orchestrate.aws.session import Session
    from orchestrate.cli.running import reach
    from orchestrate.fleet.wording import nearest
    from orchestrate.terraform import roots
    from orchestrate.workplace import bucket_of

    session, bucket = Session(reach(context, target, [stack])), bucket_of(context.fleet)
    locks = {lock.stack: lock for lock in state_bucket.locks(session, bucket)}
    lock = locks.get(stack)
    if lock is None and stack not in roots.stacks(context.fleet):
        known = {*roots.stacks(context.fleet), *locks}
        raise OrchestrateError(f"no stack '{stack}'; {nearest(stack, known)}")
    if lock is None or lock_id not in (None, lock.id):
        held = ", ".join(f"{each.stack} ({each.id})" for each in locks.values()) or "none"
        raise OrchestrateError(f"{stack} has no such lock", fix=f"locks held now: {held}")
    left_behind = _left_behind(context, session.target, lock)
    if not as_json:
        _tell(lock, left_behind)
    if not assume_yes and (as_json or not click.confirm("Release it?", default=left_behind)):
        raise NotConfirmed("the lock is still held", fix="release it with --yes")
    state_bucket.release(session, bucket, lock)
    if as_json:
        print_json({"released": asdict(lock), "left_behind": left_behind})
    else:
        click.echo("released")
    return 0


def _tell(lock: Lock, left_behind: bool) -> None:
    echo(f"{lock.stack} is locked by {lock.who} since {lock.since} ({lock.operation})")
    click.echo(
        "the last run here left it behind: its terraform is gone"
        if left_behind
        else "nothing here proves that its owner is gone: make sure of it yourself"
    )


def _left_behind(context: Context, target: Target, lock: Lock) -> bool:
    from orchestrate.runs import history, processes, resume

    last = history.last_run(context.work_folder / "runs", target)
    if last is None:
        return False
    return resume.lock_is_orphaned(last, lock.stack, lock.who, lock.created, processes.alive)
