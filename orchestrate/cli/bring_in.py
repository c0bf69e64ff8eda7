"""`orchestrate import`: a resource that AWS has and Terraform's state has not, brought together."""

import click

from orchestrate.cli.complete import complete_stacks
from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import OrchestrateError


@click.command(name="import")
@click.argument("stack", shell_complete=complete_stacks)
@click.argument("address")
@click.argument("resource_id", metavar="ID")
@target_option
@json_option
@pass_context
def bring_in_command(
    context: Context, stack: str, address: str, resource_id: str, target: str, as_json: bool
) -> None:
    """Take a resource that AWS has already into a stack's state.

    For an apply that fails because what it makes "already exists": its error prints this command
    with STACK, ADDRESS and, as far as it can, the ID. Nothing in AWS is changed; the next apply
    brings the resource to what the fleet says.

    \b
    Example:
      orchestrate import cluster-us-west 'module.network.aws_security_group.nodes' sg-0a1b2c3d
    """
    from orchestrate import execution
    from orchestrate.fleet.wording import nearest
    from orchestrate.terraform import roots
    from orchestrate.workplace import prepare

    known = list(roots.stacks(context.fleet))
    if stack not in known:
        raise OrchestrateError(f"no stack '{stack}'; {nearest(stack, known)}")
    work = prepare(context.root, context.fleet, context.target(target), keep_ranges=False)
    argv = ("import", stack, address, resource_id)
    log = execution.bring_in(work, argv, stack, address, resource_id)
    if as_json:
        print_json({"stack": stack, "address": address, "id": resource_id, "log": str(log)})
    else:
        click.echo(f"{address} is in the state of {stack}; next: orchestrate apply {stack}")
