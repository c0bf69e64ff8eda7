"""What every command needs: the repository, its fleet, and the target a run acts on."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrate import environment
from orchestrate.caches import work_folder
from orchestrate.errors import InvalidInput, OrchestrateError
from orchestrate.target import Target

if TYPE_CHECKING:
    from orchestrate.fleet.models import Fleet

FLEET_FILE = Path("fleet") / "fleet.yaml"


@dataclass(frozen=True)
class Context:
    """A repository on disk. Everything is loaded when first asked for."""

    root: Path

    @property
    def fleet_folder(self) -> Path:
        return self.root / "fleet"

    @cached_property
    def work_folder(self) -> Path:
        """Rendered roots, journals, plans and logs; ignored by git."""
        return work_folder(self.root)

    @cached_property
    def fleet(self) -> "Fleet":
        """The checked fleet; raises InvalidInput with every finding."""
        from orchestrate.fleet.load import load

        return load(self.fleet_folder)

    def target(self, name: str) -> Target:
        """The named target, whose environment becomes this process's: boto3 reads no other.

        Raises LabError when the lab is asked for and not running, InvalidInput with every variable
        that would have our programs act on different things.
        """
        if found := environment.contradictions(os.environ, name):
            raise InvalidInput(found)
        adopt(environment.for_target(os.environ, name))
        if name == "aws":
            return Target("aws", ssh_public_key=self.fleet.file.ssh_public_key)
        from orchestrate.lab.client import target

        return target(account=self.fleet.file.account)


def adopt(variables: Mapping[str, str]) -> None:
    """Make this process's environment exactly this."""
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    os.environ.update(variables)


def find_root(given: str | None) -> Path:
    """The repository: what was given, or the first folder upward from here with a fleet."""
    try:
        if given:
            return Path(given).resolve()
        here = Path.cwd()
    except FileNotFoundError:
        raise OrchestrateError(
            "the folder you are in is gone", fix="go to one that exists"
        ) from None
    for folder in (here, *here.parents):
        if (folder / FLEET_FILE).is_file():
            return folder
    raise OrchestrateError(
        f"no {FLEET_FILE} here or in any folder above",
        where=str(here),
        fix="go into the repository, name it with --root, or start one with `orchestrate init`",
    )


def pass_context(function: Any) -> Any:
    """Decorator: give a command the Context as its first argument."""

    @click.pass_context
    @wraps(function)
    def wrapper(ctx: click.Context, /, *args: object, **kwargs: object) -> object:
        return ctx.invoke(function, Context(find_root(ctx.find_root().obj)), *args, **kwargs)

    return wrapper


target_option = click.option(
    "--target",
    type=click.Choice(["lab", "aws"]),
    default=lambda: os.environ.get("ORCHESTRATE_TARGET", "lab"),
    show_default="$ORCHESTRATE_TARGET or lab",
    help="Where to act: the rehearsal cloud on this machine, or AWS.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
