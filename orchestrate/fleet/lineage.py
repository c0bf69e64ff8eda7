"""From which images an image is made. Pure; a fleet that passed its rules has no dangling name."""

from collections.abc import Iterator

from orchestrate.fleet.models import Cluster, Fleet, FleetFile, SourceImage


def chain(file: FleetFile, image: str) -> tuple[str, ...]:
    """The image, its parent, and so on to the vendor's, which comes last.

    Raises KeyError for a name the fleet doesn't have; ends before an image that comes again.
    """
    found: list[str] = []
    while image not in found:
        found.append(image)
        if image in file.images:
            break
        image = file.baked[image].parent
    return tuple(found)


def source(file: FleetFile, image: str) -> SourceImage:
    """The vendor's image that an image goes back to. Raises KeyError where there is none."""
    return file.images[chain(file, image)[-1]]


def role(file: FleetFile, image: str) -> str:
    """The Chef role a baked image is converged to."""
    return file.baked[image].role or image


def children(file: FleetFile, image: str) -> list[str]:
    """The baked images made directly from an image, sorted."""
    return sorted(name for name, baked in file.baked.items() if baked.parent == image)


def in_use(cluster: Cluster) -> set[str]:
    """The images that a cluster's hosts start from."""
    return set(_images(cluster))


def regions(fleet: Fleet, image: str) -> set[str]:
    """The regions with clusters whose hosts start from the image itself."""
    return {one.region for one in fleet.clusters.values() if image in in_use(one)}


def _images(cluster: Cluster) -> Iterator[str]:
    yield cluster.bastion.image
    if cluster.vpn:
        yield cluster.vpn.image
    for group in cluster.node_groups.values():
        yield group.image
