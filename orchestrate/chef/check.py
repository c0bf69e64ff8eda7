"""Everything wrong in `chef/`, at once: before anything is baked or converged."""

from collections.abc import Iterator
from pathlib import Path

from orchestrate.chef import belongings, cookbooks, roles, syntax, words
from orchestrate.errors import InvalidInput, MissingTool, OrchestrateError
from orchestrate.findings import Finding, Place
from orchestrate.fleet import lineage
from orchestrate.fleet.models import Fleet

FOLDER = "chef"
_NONE = Finding(
    Place(FOLDER),
    "there is no such folder, so no host can be converged or verified, and no image baked",
    "copy chef/ and tests/infra/ from a checkout of orchestrate, as `orchestrate init` does",
    "warning",
)


def findings(root: Path, fleet: Fleet | None) -> list[Finding]:
    """What is wrong in the repository's roles and cookbooks.

    With the fleet, also the roles that it wants and that aren't there, and what a new role or
    cookbook still lacks; where there is no `chef/` at all, that its hosts stay as they boot.
    """
    chef = root / FOLDER
    if not chef.is_dir():
        return [_NONE] if fleet else []
    found = [*_unparsed(root, chef), *_roles(root, chef)]
    if fleet:
        baked = [lineage.role(fleet.file, name) for name in fleet.file.baked]
        found += [*_wanted(chef, fleet), *belongings.missing(root, chef, baked)]
    return sorted(found)


def refuse_broken(root: Path, fleet: Fleet | None = None) -> list[Finding]:
    """Raise InvalidInput if anything is wrong, before anything is started; returns warnings."""
    found = findings(root, fleet)
    if any(one.level == "error" for one in found):
        raise InvalidInput(found)
    return found


def _unparsed(root: Path, chef: Path) -> Iterator[Finding]:
    try:
        yield from syntax.check(root, [chef])
        yield from words.check(root, chef)
    except MissingTool as missing:
        what = "Ruby isn't installed, so nothing here was parsed"
        yield Finding(Place(FOLDER), what, missing.fix, "warning")


def _roles(root: Path, chef: Path) -> Iterator[Finding]:
    said: set[Finding] = set()
    for name in roles.names(chef):
        try:
            cookbooks.closure(chef, roles.load(chef, name).cookbooks)
        except OrchestrateError as wrong:
            place = Place(str(Path(wrong.where).relative_to(root)))
            said.add(Finding(place, wrong.what, wrong.fix))
    yield from said


def _wanted(chef: Path, fleet: Fleet) -> Iterator[Finding]:
    there = set(roles.names(chef))
    baked = {lineage.role(fleet.file, name): f"image '{name}'" for name in fleet.file.baked}
    groups = {
        str(group.role): f"node group '{name}' of {cluster.name}"
        for cluster in fleet.clusters.values()
        for name, group in cluster.node_groups.items()
    }
    racks = {
        str(host.role): f"host '{name}' of {site.name}"
        for site in fleet.sites.values()
        for rack in site.racks.values()
        for name, host in rack.items()
    }
    for role, what in {**racks, **groups, **baked}.items():
        if role not in there:
            place = Place(f"{FOLDER}/roles/{role}.json")
            fix = f"write the role; there are: {', '.join(sorted(there)) or 'none'}"
            yield Finding(place, f"no role '{role}', which {what} has", fix)
