"""`orchestrate bake`: make images of roles, and make them what new hosts start from."""

import sys

import click

from orchestrate.cli.complete import complete_images
from orchestrate.cli.context import Context, json_option, pass_context, target_option


@click.command(name="bake")
@click.argument("images", nargs=-1, shell_complete=complete_images)
@click.option("--all", "everything", is_flag=True, help="Every image of the fleet.")
@click.option(
    "--force",
    is_flag=True,
    help="Bake also where nothing changed, or the very same was baked before.",
)
@click.option(
    "--parallel",
    "at_once",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="How many images to bake at once.",
)
@target_option
@json_option
@pass_context
def bake_command(
    context: Context,
    images: tuple[str, ...],
    everything: bool,
    force: bool,
    at_once: int,
    target: str,
    as_json: bool,
) -> int:
    """Bake images, test them, and start new hosts from them.

    IMAGES are `baked` in fleet.yaml: base, ssh-node (or ssh_node), ... What they are made from is
    baked first where its cookbooks or parent changed. Each image is tested in the making and once
    more on a fresh instance, copied to every region that uses it, and only then promoted.
    """
    from orchestrate import bake
    from orchestrate.baking import choose, place
    from orchestrate.cli import bake_view
    from orchestrate.cli.reach import require_hosts

    # A wrong name is told before anything is asked.
    choose.by_name(context.fleet.file, images, everything=everything)
    where = context.target(target)
    require_hosts(where)
    argv = ("orchestrate", *sys.argv[1:])
    request = bake.Request(argv, images, everything, force, at_once)
    operator = bake_view.operator(target, as_json=as_json)
    report = bake.bake(place.enter(context.root, context.fleet, where), request, operator)
    operator.ended(report)
    return report.exit_code
