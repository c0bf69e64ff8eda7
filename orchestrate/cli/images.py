"""`orchestrate images`: what was baked, who uses it, which is in use; and removing the rest."""

import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from orchestrate.cli.complete import complete_images
from orchestrate.cli.console import print_json
from orchestrate.cli.context import Context, json_option, pass_context, target_option
from orchestrate.errors import Interrupted, LabError, NotConfirmed, OrchestrateError

if TYPE_CHECKING:
    from orchestrate.baking.place import BakePlace

IMAGE = click.argument("image", shell_complete=complete_images)


@click.group(name="images")
def images_command() -> None:
    """See the baked images, choose which is in use, remove old ones.

    \b
    What was baked, from what, and who uses it:
      orchestrate images list
    The new image is bad: back to the one before, for all hosts launched from now on:
      orchestrate images rollback ssh-node
      orchestrate apply --all
    """


@images_command.command(name="list")
@click.option("--usage/--no-usage", default=True, help="Also ask AWS who uses each.")
@target_option
@json_option
@pass_context
def list_images(context: Context, usage: bool, target: str, as_json: bool) -> None:
    """Show every build below what it was made from."""
    from orchestrate.baking import removal
    from orchestrate.cli import images_view as view

    place = _enter(context, target)
    found = place.read()
    uses = removal.uses(place) if usage else {}
    if as_json:
        print_json(view.as_json(found, uses))
    else:
        view.show_tree(found, uses)


@images_command.command(name="show")
@IMAGE
@target_option
@json_option
@pass_context
def show_image(context: Context, image: str, target: str, as_json: bool) -> None:
    """Show one image's builds in full, and who uses them.

    IMAGE is the fleet's name of an image, or the id of a build.
    """
    from orchestrate.baking import removal
    from orchestrate.cli import images_view as view

    place = _enter(context, target, image)
    found = place.read()
    name, builds = view.chosen(found, image)
    uses = removal.uses(place)
    if as_json:
        print_json([view.build_json(found, name, build, uses) for build in builds])
    else:
        view.show_builds(found, name, builds, uses)


@images_command.command(name="promote")
@click.argument("build")
@target_option
@json_option
@pass_context
def promote_image(context: Context, build: str, target: str, as_json: bool) -> None:
    """Make BUILD what new hosts of its image start from.

    Refused where a region that uses the image lacks it. Hosts change with the next apply, and
    running ones with `orchestrate roll`.
    """
    from orchestrate.cli import images_view as view

    place = _enter(context, target, build)
    image, builds = view.chosen(place.read(), build)
    if image == build:
        there = ", ".join(one.id for one in builds)
        raise OrchestrateError(f"{image} is an image, not a build", fix=f"name one of: {there}")
    _promote(place, image, build, as_json)


@images_command.command(name="rollback")
@IMAGE
@target_option
@json_option
@pass_context
def rollback_image(context: Context, image: str, target: str, as_json: bool) -> None:
    """Go back to the build that was in use before.

    The next bake makes a new build only where something has changed since the one that was bad.
    """
    from orchestrate.cli import images_view as view

    place = _enter(context, target, image)
    found = place.read()
    name, _ = view.chosen(found, image)
    previous = found.shelf(name).previous
    if not previous:
        raise OrchestrateError(
            f"{name} has no build to go back to",
            fix="see `orchestrate images list`; promote one with `orchestrate images promote`",
        )
    _promote(place, name, previous, as_json)


@images_command.command(name="prune")
@click.option(
    "--keep", default=3, show_default=True, type=click.IntRange(0), help="Builds of each image."
)
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Only builds that are older.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option(
    "--yes", "-y", "assume_yes", is_flag=True, help="Don't ask for confirmation (for CI)."
)
@target_option
@json_option
@pass_context
def prune_images(
    context: Context,
    keep: int,
    days: int | None,
    dry_run: bool,
    assume_yes: bool,
    target: str,
    as_json: bool,
) -> None:
    """Remove old builds and their snapshots, in all regions.

    Never one that a launch template, a group or an instance uses, one in use or that a rollback
    would go back to, the last good one of an image, or one that a kept one was made from.
    """
    from orchestrate.baking import removal
    from orchestrate.cli import images_view as view
    from orchestrate.clock import now

    place = _enter(context, target)
    since = None if days is None else now() - timedelta(days=days)
    with place.alone(("orchestrate", *sys.argv[1:])):
        verdicts = removal.verdicts(place, keep=keep, newer_than=since)
        going = [one for one in verdicts if one.goes]
        if not as_json:
            view.show_verdicts(verdicts)
        if going and not dry_run:
            _agree(len(going), target, assume_yes=assume_yes, as_json=as_json)
            removal.remove(place, going, lambda one: click.echo(f"removing {one}", err=True))
    if as_json:
        print_json([view.verdict_json(one) for one in verdicts])


def _agree(builds: int, target: str, *, assume_yes: bool, as_json: bool) -> None:
    """Raise NotConfirmed or Interrupted unless the operator says yes."""
    if assume_yes:
        return
    if as_json or not sys.stdin.isatty():
        asking = "--json asks no questions" if as_json else "there is nobody to ask"
        raise NotConfirmed(asking, fix="run it with --yes, or with --dry-run first")
    many = "1 build" if builds == 1 else f"{builds} builds"
    try:
        agreed = click.confirm(f"Remove {many} on target {target}?", default=False)
    except click.Abort as gone:
        raise Interrupted("interrupted; nothing was removed") from gone
    if not agreed:
        raise NotConfirmed("not confirmed; nothing was removed")


def _promote(place: "BakePlace", image: str, build: str, as_json: bool) -> None:
    from orchestrate.images import catalogue, catalogue_file

    regions = place.regions_of(image)
    now = catalogue_file.update(
        place.catalogue, lambda found: catalogue.promoted(found, image, build, regions)
    )
    shelf = now.shelf(image)
    said = {"image": image, "current": build, "previous": shelf.previous}
    if as_json:
        print_json(said)
        return
    before = f" (before: {shelf.previous})" if shelf.previous else ""
    click.echo(f"{image}: new hosts start from {build}{before}")
    click.echo("next: `orchestrate apply --all` changes launch templates, `orchestrate roll` hosts")


def _enter(context: Context, target: str, name: str = "") -> "BakePlace":
    """The images of a target. Where no lab runs, a `name` that no catalogue has is told first."""
    from orchestrate.baking import place
    from orchestrate.cli import images_view as view
    from orchestrate.images import catalogue_file

    try:
        where = context.target(target)
    except LabError:
        named = name.replace("_", "-") in context.fleet.file.baked
        if name and not named:  # one that was never baked is in no catalogue
            view.chosen(catalogue_file.read(catalogue_file.path_of(context.root, target)), name)
        raise
    return place.enter(context.root, context.fleet, where)
