"""What the shell offers when one presses Tab. Fast: file names and a cache, never AWS or YAML.

A completion that fails offers nothing; it must not print.
"""

import itertools
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

from orchestrate.caches import work_folder
from orchestrate.cli.context import find_root
from orchestrate.errors import OrchestrateError

SHARED_STACKS = ("global", "mesh")
HOSTS_FILE = "hosts.json"
_KEY = re.compile(r"\s+[\w-]+:")


def complete_stacks(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Stacks, for plan, apply, destroy and output."""
    return _starting(start, [*SHARED_STACKS, *_names(ctx, "clusters")])


def complete_places(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Clusters and sites, for graph and addresses."""
    return _starting(start, [*_names(ctx, "clusters"), *_names(ctx, "sites")])


def complete_images(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Images of our own, for bake and images: the keys below `baked` in fleet.yaml."""
    root = _root(ctx)
    try:
        text = (root / "fleet" / "fleet.yaml").read_text() if root else ""
    except OSError:
        return []
    _, _, below = text.partition("\nbaked:")
    section = below.partition("\n")[2].splitlines()
    lines = itertools.takewhile(lambda line: not line or line[0] in " #", section)
    return _starting(start, [line.split(":")[0].strip() for line in lines if _KEY.match(line)])


def complete_hosts(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Hosts as `orchestrate hosts` last saw them, and the clusters and sites they are in."""
    places = [*_names(ctx, "clusters"), *_names(ctx, "sites")]
    return _starting(start, [*_last_seen(ctx), *places])


def remember_hosts(folder: Path, names: Iterable[str]) -> None:
    """Keep host names for the next Tab; a full or read-only disk is no reason to list none."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HOSTS_FILE).write_text(json.dumps(list(names)))


def _last_seen(ctx: click.Context) -> list[str]:
    root = _root(ctx)
    path = work_folder(root) / HOSTS_FILE if root else None
    try:
        return [str(name) for name in json.loads(path.read_text())] if path else []
    except (OSError, ValueError):
        return []


def _names(ctx: click.Context, folder: str) -> list[str]:
    """The names of the fleet's clusters or sites: each is the name of its file."""
    root = _root(ctx)
    return sorted(file.stem for file in (root / "fleet" / folder).glob("*.yaml")) if root else []


def _root(ctx: click.Context) -> Path | None:
    try:
        return find_root(ctx.find_root().params.get("root"))
    except OrchestrateError:
        return None


def _starting(start: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(start)]
