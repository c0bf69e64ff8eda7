"""What `orchestrate images` prints: builds, what they were made from, who uses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from orchestrate.cli.console import console
from orchestrate.errors import OrchestrateError
from orchestrate.fleet.wording import nearest
from orchestrate.images import catalogue as catalogues
from orchestrate.images import tree
from orchestrate.images.catalogue import Build, Catalogue
from orchestrate.plain_text import shown

if TYPE_CHECKING:
    from orchestrate.images.prune import Verdict

Uses = Mapping[str, tuple[str, ...]]
KINDS = ("launch template", "launch configuration", "group", "instance")
NOTHING = "nothing was baked yet; start with `orchestrate bake base`"


def show_tree(catalogue: Catalogue, uses: Uses) -> None:
    """Every build below what it was made from, with its state and its users in short."""
    from rich.markup import escape

    def tell(image: str, build: Build) -> str:
        shelf = catalogue.shelf(image)
        mark = {shelf.current: " [green]current[/]", shelf.previous: " [dim]previous[/]"}
        regions = ", ".join(build.regions) or "nowhere"
        used = short(_users(build, uses))
        bold = f"[bold]{escape(build.id)}[/]" if build.id == shelf.current else escape(build.id)
        return f"{bold}{mark.get(build.id, '')}  [dim]{escape(regions)}[/]" + (
            f"  {escape(used)}" if used else ""
        )

    lines = tree.lines(catalogue, tell)
    out = console()
    for line in lines or [NOTHING]:
        out.print(line, soft_wrap=True)


def show_builds(catalogue: Catalogue, image: str, builds: Sequence[Build], uses: Uses) -> None:
    """Builds of one image in full."""
    from rich.markup import escape
    from rich.table import Table

    out = console()
    for build in builds:
        out.print(
            f"[bold]{escape(build.id)}[/]  {standing(catalogue, image, build)}", soft_wrap=True
        )
        table = Table.grid(padding=(0, 2))
        for key, value in _facts(catalogue, build, uses):
            table.add_row(f"  {key}", escape(value))
        out.print(table)


def standing(catalogue: Catalogue, image: str, build: Build) -> str:
    """`current`, `previous` or nothing."""
    shelf = catalogue.shelf(image)
    if build.id == shelf.current:
        return "current"
    return "previous" if build.id == shelf.previous else ""


def chosen(catalogue: Catalogue, name: str) -> tuple[str, list[Build]]:
    """The image and the builds that a name means, the newest first. Raises OrchestrateError."""
    if name not in catalogue.images and name.replace("_", "-") in catalogue.images:
        name = name.replace("_", "-")
    if name in catalogue.images:
        return name, list(catalogue.images[name].builds.values())[::-1]
    image = catalogues.find(catalogue, name)
    if not image:
        known = [*catalogue.images, *(build.id for _, build in catalogue.builds())]
        raise OrchestrateError(f"no image or build '{shown(name)}'; {nearest(name, known)}")
    return image, [catalogue.images[image].builds[name]]


def show_verdicts(verdicts: Sequence[Verdict]) -> None:
    """What goes and what stays, and why."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("build", "", "because"):
        table.add_column(column, overflow="fold")
    for one in verdicts:
        if one.goes:
            table.add_row(one.build.id, "[red]goes[/]", f"from {', '.join(one.build.regions)}")
        else:
            more = f" and {len(one.kept_for) - 1} more" if len(one.kept_for) > 1 else ""
            table.add_row(one.build.id, "stays", escape(f"{one.kept_for[0]}{more}"))
    console().print(table if verdicts else NOTHING)


def short(users: Iterable[str]) -> str:
    """`2 launch templates, 14 instances` of users in words."""
    counts = Counter(next((k for k in KINDS if one.startswith(k)), "other") for one in users)
    return ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in counts.items())


def as_json(catalogue: Catalogue, uses: Uses) -> list[dict[str, Any]]:
    return [build_json(catalogue, image, build, uses) for image, build in catalogue.builds()]


def build_json(catalogue: Catalogue, image: str, build: Build, uses: Uses) -> dict[str, Any]:
    """One build as plain data, `used_by` in words."""
    return {
        "image": image,
        **asdict(build),
        "current": standing(catalogue, image, build) == "current",
        "previous": standing(catalogue, image, build) == "previous",
        "lineage": tree.lineage(catalogue, build),
        "used_by": _users(build, uses),
    }


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "image": verdict.image,
        "build": verdict.build.id,
        "goes": verdict.goes,
        "kept_for": list(verdict.kept_for),
        "regions": dict(verdict.build.regions),
    }


def _facts(catalogue: Catalogue, build: Build, uses: Uses) -> list[tuple[str, str]]:
    commit = build.commit + (" and changes not committed" if build.dirty else "")
    users = _users(build, uses)
    return [
        ("role", build.role),
        ("built", f"{build.built:%Y-%m-%d %H:%M} UTC"),
        ("made from", " < ".join(tree.lineage(catalogue, build)[1:])),
        ("commit", commit or "not in a git repository"),
        ("cookbooks", build.cookbooks[:12]),
        ("machine", f"{build.architecture}, root device {build.root_device}"),
        *(("in " + region, ami) for region, ami in build.regions.items()),
        *(("used by" if n == 0 else "", user) for n, user in enumerate(users or ["nobody"])),
    ]


def _users(build: Build, uses: Uses) -> list[str]:
    return [user for ami in build.regions.values() for user in uses.get(ami, ())]
