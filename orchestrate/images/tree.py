"""Builds and what they were made from, as a tree in text. Pure."""

from collections.abc import Callable, Iterator

from orchestrate.images.catalogue import Build, Catalogue


def lines(catalogue: Catalogue, tell: Callable[[str, Build], str]) -> list[str]:
    """The builds below what they were made from, each as `tell(image, build)` has it.

    What the catalogue doesn't know (vendors' AMIs, builds that are gone) stands at the left edge.
    """
    children: dict[str, list[tuple[str, Build]]] = {}
    for image, build in catalogue.builds():
        children.setdefault(build.parent, []).append((image, build))
    known = {build.id for _, build in catalogue.builds()}
    found: list[str] = []
    for root in sorted(parent for parent in children if parent not in known):
        found += [root, *_below(root, children, tell, "")]
    return found


def lineage(catalogue: Catalogue, build: Build) -> list[str]:
    """The build's id, its parent's, and so on to the first that isn't ours."""
    by_id = {one.id: one for _, one in catalogue.builds()}
    found = [build.id]
    while (one := by_id.get(found[-1])) and one.parent not in found:
        found.append(one.parent)
    return found


def _below(
    parent: str,
    children: dict[str, list[tuple[str, Build]]],
    tell: Callable[[str, Build], str],
    indent: str,
) -> Iterator[str]:
    *others, last = children[parent]
    for image, build in [*others, last]:
        end = build is last[1]
        yield f"{indent}{'└─ ' if end else '├─ '}{tell(image, build)}"
        if build.id in children:
            yield from _below(build.id, children, tell, indent + ("   " if end else "│  "))
