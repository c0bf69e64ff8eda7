"""What a role or cookbook needs beside its own files, and lacks: see docs/guides/cookbooks.md."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from orchestrate.chef import roles
from orchestrate.errors import OrchestrateError
from orchestrate.findings import Finding, Place
from orchestrate.fleet.models import Role

# What every host is, whatever its role.
BASE = "base"
MODELS = "orchestrate/fleet/models/base.py"
SUITES = Path("tests", "infra")


def missing(root: Path, chef: Path, baked: Iterable[str]) -> Iterator[Finding]:
    """A warning for each role that no host can have, and each cookbook that nothing looks at.

    `baked` are the roles of images. A repository without suites is not asked for any.
    """
    found = list(_readable(chef))
    inside = {name for role in found for name in role.roles if name != role.name}
    known = {BASE, *get_args(Role), *baked, *inside}
    for role in found:
        if role.name not in known:
            what = f"no host can have the role '{role.name}': the fleet's files don't know it"
            fix = f"add it to Role in {MODELS}, then run `orchestrate schema`"
            yield Finding(Place(f"{chef.name}/roles/{role.name}.json"), what, fix, "warning")
    if (root / SUITES).is_dir():
        yield from _suites(root, {name for role in found for name in role.cookbooks})


def _suites(root: Path, cookbooks: Iterable[str]) -> Iterator[Finding]:
    for name in cookbooks:
        if not list((root / SUITES / name).glob("test_*.py")):
            what = f"cookbook '{name}' has no suite: `verify` says nothing of what it does"
            fix = f"write {SUITES / name}/test_{name}.py"
            yield Finding(Place(str(SUITES / name)), what, fix, "warning")


def _readable(chef: Path) -> Iterator[roles.Role]:
    """Roles that can be read; what is wrong with others is told elsewhere."""
    for name in roles.names(chef):
        try:
            yield roles.load(chef, name)
        except OrchestrateError:
            continue
