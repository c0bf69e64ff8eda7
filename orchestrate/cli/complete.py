"""What the shell offers when one presses Tab. Fast: file names and a cache, never AWS or YAML.

A completion that fails offers nothing; it must not print.
"""

import itertools
import json
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

import click

from orchestrate.caches import work_folder
from orchestrate.cli.context import find_root
from orchestrate.errors import OrchestrateError

SHARED_STACKS = ("global", "mesh")
HOSTS_FILE = "hosts.json"
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@+-]*")
_KEY = re.compile(r"(\s+)([\w-]+):")


def complete_stacks(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Stacks, for plan, apply, destroy and output."""
    return _starting(start, [*SHARED_STACKS, *_names(ctx, "clusters")])


def complete_places(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Clusters and sites, for graph and addresses."""
    return _starting(start, [*_names(ctx, "clusters"), *_names(ctx, "sites")])


def complete_images(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Images of our own, for bake and images: the keys below `baked` in fleet.yaml."""
    root = _root(ctx)
    return _starting(start, _keys_below("baked", root / "fleet" / "fleet.yaml" if root else None))


def complete_hosts(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Hosts as `orchestrate hosts` last saw them, and the clusters and sites they are in."""
    places = [*_names(ctx, "clusters"), *_names(ctx, "sites")]
    there = [host for host in _last_seen(ctx) if host.partition(".")[2] in places]
    return _starting(start, [*there, *places])


def complete_groups(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Node groups, for roll: the keys below `node_groups` in each cluster's file."""
    groups = {name: _groups(ctx, name) for name in _names(ctx, "clusters")}
    bare = sorted({group for found in groups.values() for group in found})
    whole = [f"{group}.{name}" for name, found in groups.items() for group in found]
    return _starting(start, [*bare, *whole])


def remember_hosts(folder: Path, names: Iterable[str]) -> None:
    """Keep host names for the next Tab; a full or read-only disk is no reason to list none."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HOSTS_FILE).write_text(json.dumps(list(names)))


def forget_hosts(folder: Path, places: Collection[str]) -> None:
    """Offer the hosts of these places no longer: they are destroyed."""
    known = _remembered(folder)
    left = [name for name in known if name.partition(".")[2] not in places]
    if left != known:
        remember_hosts(folder, left)


def _groups(ctx: click.Context, cluster: str) -> list[str]:
    root = _root(ctx)
    file = root / "fleet" / "clusters" / f"{cluster}.yaml" if root else None
    return _keys_below("node_groups", file)


def _keys_below(section: str, file: Path | None) -> list[str]:
    """The keys of a section of a YAML file, as people indent it; read without a YAML library."""
    try:
        text = file.read_text(encoding="utf-8") if file else ""
    except (OSError, ValueError):
        return []
    _, _, below = f"\n{text}".partition(f"\n{section}:")
    lines = list(
        itertools.takewhile(
            lambda line: not line or line[0] in " #", below.partition("\n")[2].splitlines()
        )
    )
    keys = [found for line in lines if (found := _KEY.match(line))]
    # What stands deepest to the left are the section's own keys.
    least = min((len(key[1]) for key in keys), default=0)
    return [key[2] for key in keys if len(key[1]) == least]


def _last_seen(ctx: click.Context) -> list[str]:
    root = _root(ctx)
    return _remembered(work_folder(root)) if root else []


def _remembered(folder: Path) -> list[str]:
    try:
        return [str(name) for name in json.loads((folder / HOSTS_FILE).read_text())]
    except (OSError, ValueError, TypeError, RecursionError):
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
    """Those that begin so and mean nothing to a shell, which puts them into a command line: a file
    of the fleet may be called `$(rm -r x).yaml`.
    """
    plain = (name for name in dict.fromkeys(names) if _PLAIN.fullmatch(name))
    return [name for name in plain if name.startswith(start)]
