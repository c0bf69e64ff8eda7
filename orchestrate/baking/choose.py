"""Which images a bake is about. Pure."""

from collections.abc import Iterable

from orchestrate.errors import OrchestrateError
from orchestrate.fleet import lineage
from orchestrate.fleet.models import FleetFile
from orchestrate.fleet.wording import nearest


def by_name(file: FleetFile, words: Iterable[str], *, everything: bool) -> list[str]:
    """The images asked for, as the fleet calls them: `ssh_node` is `ssh-node`.

    Raises OrchestrateError for unknown ones, all of them, and where nothing is asked for.
    """
    names = [word if word in file.baked else word.replace("_", "-") for word in words]
    if everything and names:
        raise OrchestrateError("name images, or say --all, not both", fix="choose one")
    if unknown := [name for name in names if name not in file.baked]:
        lines = [f"no image '{name}'; {nearest(name, file.baked)}" for name in unknown]
        raise OrchestrateError("\n".join(lines), fix="images are `baked` in fleet.yaml")
    found = list(file.baked) if everything else list(dict.fromkeys(names))
    if not found:
        there = ", ".join(file.baked) or "none; add `baked` to fleet.yaml"
        raise OrchestrateError("which images? name some, or --all", fix=f"there are: {there}")
    return found


def with_parents(file: FleetFile, images: Iterable[str]) -> list[str]:
    """These images and all of ours that they are made from, parents first."""
    lines = [
        [name for name in lineage.chain(file, image) if name in file.baked] for image in images
    ]
    depth = {name: len(line) - step for line in lines for step, name in enumerate(line)}
    return sorted(depth, key=lambda name: (depth[name], name))
