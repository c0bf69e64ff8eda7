"""`orchestrate bootstrap`: the state bucket, once per account."""

from dataclasses import asdict

import click

from orchestrate.cli.console import console, print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option


@click.command(name="bootstrap")
@target_option
@json_option
@pass_context
def bootstrap_command(context: Context, target: str, as_json: bool) -> None:
    """Create the bucket that keeps Terraform's state.

    Safe to repeat: what is already right stays, what has drifted is put right.
    """
    from orchestrate.aws.session import Session, verify_account
    from orchestrate.aws.state_bucket import bootstrap
    from orchestrate.workplace import bucket_of

    bucket = bucket_of(context.fleet)
    session = Session(context.target(target))
    verify_account(session, bucket.account, bucket.region)
    steps = bootstrap(session, bucket)
    if as_json:
        print_json({**asdict(bucket), "steps": [asdict(step) for step in steps]})
        return
    out = console()
    out.print(f"[bold]{bucket.name}[/] in {bucket.region}, account {bucket.account}")
    for step in steps:
        sign = "[green]made right   [/]" if step.changed else "[dim]already right[/]"
        out.print(f"  {sign}  {step.what}")
