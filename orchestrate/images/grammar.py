"""The catalogue's text: plain YAML in one order, every finding with its line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import yaml

from orchestrate.errors import InvalidInput, OrchestrateError
from orchestrate.findings import Finding, Place
from orchestrate.images.catalogue import Build, Catalogue, Shelf
from orchestrate.plain_text import shown

VERSION = 1
HEADER = f"""\
# Which images were baked, from what, and where they are. Committed, so that everybody launches
# the same. Written by `orchestrate bake` and `orchestrate images`; shown by `orchestrate images`.
version: {VERSION}
"""
_RESTORE = "restore the file from git: git log -p shows how it was"
_MERGE = (
    "delete the marker lines and keep the builds of both sides; keep one `current` and one "
    "`previous` of each image"
)
_MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_DIRTY = "-dirty"
_PLAIN = r"[A-Za-z0-9/][A-Za-z0-9._/-]{0,254}"
_HEX = r"[0-9a-f]*"
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}"
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def write(catalogue: Catalogue) -> str:
    """The file's text; equal catalogues give equal bytes."""
    lines = [HEADER, "images:" if catalogue.images else "images: {}"]
    for name, shelf in sorted(catalogue.images.items()):
        lines += [f"  {_plain(name)}:"]
        lines += [f"    current: {shelf.current}"] if shelf.current else []
        lines += [f"    previous: {shelf.previous}"] if shelf.previous else []
        lines += ["    builds:"]
        for build in sorted(shelf.builds.values(), key=lambda one: one.id):
            lines += [f"      {_plain(build.id)}:", *(f"        {line}" for line in _lines(build))]
    return "\n".join(lines) + "\n"


def holds(image: str, build: Build) -> bool:
    """Whether the catalogue can hold a build so that it is read again as it is."""
    one = Catalogue({image: Shelf({build.id: build})})
    try:
        return parse(write(one), "") == one
    except OrchestrateError:
        return False


def _lines(build: Build) -> Iterator[str]:
    yield f"role: {_plain(build.role)}"
    yield f"parent: {_plain(build.parent)}"
    yield f"commit: '{_plain(build.commit, _HEX)}{_DIRTY if build.dirty else ''}'"
    yield f"cookbooks: '{_plain(build.cookbooks, _HEX)}'"
    yield f"built: '{build.built:{_TIME}}'"
    yield f"architecture: {_plain(build.architecture)}"
    yield f"root_device: {_plain(build.root_device)}"
    yield "regions:"
    for region, ami in sorted(build.regions.items()):
        yield f"  {_plain(region)}: {_plain(ami)}"


def _plain(text: str, pattern: str = _PLAIN) -> str:
    """A key or value that YAML reads as this very text. Raises OrchestrateError for others: AWS may
    say anything, and what is written is read by everybody's next run.
    """
    if re.fullmatch(pattern, text) is None:
        raise OrchestrateError(
            f"the catalogue of images can't hold '{shown(text)}'",
            fix="look in EC2 what is called so; nothing was written",
        )
    return text


def parse(text: str, file: str) -> Catalogue:
    """The catalogue in `text`; `file` is what findings call it.

    Raises InvalidInput with every finding: merge markers, no YAML, an unknown version, keys that
    are missing, unknown or given twice, values of another shape, a `current` that is no build.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_MARKERS):
            what = "git left merge markers here: two branches both changed the catalogue"
            raise InvalidInput([Finding(Place(file, number), what, _MERGE)])
    reader = _Reader(file)
    catalogue = reader.catalogue(_document(text, file))
    if reader.findings:
        raise InvalidInput(reader.findings)
    return catalogue


def _document(text: str, file: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, _LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise InvalidInput([Finding(Place(file, line), f"{error.problem}", _RESTORE)]) from error


class _Reader:
    """Reads the catalogue's nodes and collects what is wrong with them."""

    def __init__(self, file: str) -> None:
        self.findings: list[Finding] = []
        self._file = file

    def catalogue(self, document: yaml.Node | None) -> Catalogue:
        top = self._mapping(document, {"version": True, "images": True})
        version = self._match(top.get("version"), r"\d+", "a number")
        if version not in ("", str(VERSION)):
            what = f"this catalogue has version {version}, and only {VERSION} is known here"
            self._complain(top["version"], what, "use the orchestrate that wrote it, or a newer")
            return Catalogue()
        shelves = self._mapping(top.get("images"))
        self._names(shelves)
        return Catalogue({name: self._shelf(name, node) for name, node in sorted(shelves.items())})

    def _names(self, found: Mapping[str, yaml.Node]) -> None:
        """Keys that become names in AWS and words of command lines."""
        for name, node in found.items():
            if re.fullmatch(_NAME, name) is None:
                self._complain(node, f"nothing can be called '{shown(name)}'", _RESTORE)

    def _shelf(self, image: str, node: yaml.Node) -> Shelf:
        keys = self._mapping(node, {"current": False, "previous": False, "builds": True})
        nodes = self._mapping(keys.get("builds"))
        self._names(nodes)
        builds = {id_: self._build(id_, one) for id_, one in sorted(nodes.items())}
        chosen = {
            which: self._one_of(keys.get(which), image, builds) for which in ("current", "previous")
        }
        return Shelf(builds, **chosen)

    def _one_of(self, node: yaml.Node | None, image: str, builds: Mapping[str, Build]) -> str:
        named = self._match(node, r"\S+", "the id of a build")
        if named and named not in builds:
            what = f"{image} has no build '{named}'"
            self._complain(node, what, f"there are: {', '.join(builds) or 'none'}")
        return named

    def _build(self, id_: str, node: yaml.Node) -> Build:
        required = ("role", "parent", "commit", "cookbooks", "built", "architecture")
        keys = self._mapping(node, dict.fromkeys((*required, "root_device", "regions"), True))
        regions = self._mapping(keys.get("regions"))
        self._names(regions)
        commit = self._match(keys.get("commit"), rf"[0-9a-f]*({_DIRTY})?", "a git commit")
        return Build(
            id=id_,
            role=self._match(keys.get("role"), r"[\w-]+", "a role"),
            parent=self._match(keys.get("parent"), r"[\w-]+", "a build or an AMI id"),
            commit=commit.removesuffix(_DIRTY),
            dirty=commit.endswith(_DIRTY),
            cookbooks=self._match(keys.get("cookbooks"), r"[0-9a-f]{64}", "a SHA-256"),
            built=self._time(keys.get("built")),
            architecture=self._match(keys.get("architecture"), r"\w+", "x86_64 or arm64"),
            root_device=self._match(keys.get("root_device"), r"/dev/\w+", "a device"),
            regions={
                region: self._match(ami, r"ami-[0-9a-f]+", "an AMI id")
                for region, ami in sorted(regions.items())
            },
        )

    def _time(self, node: yaml.Node | None) -> datetime:
        text = self._match(node, r"[\dT:Z-]+", "a time like 2026-11-30T01:23:45Z")
        try:
            return datetime.strptime(text, _TIME).replace(tzinfo=UTC)
        except ValueError:
            if text:
                self._complain(node, f"there is no time {text}", _RESTORE)
            return datetime.min.replace(tzinfo=UTC)

    def _mapping(
        self, node: yaml.Node | None, keys: Mapping[str, bool] | None = None
    ) -> dict[str, yaml.Node]:
        """A mapping's nodes by key. `keys` says which there may be, and whether they must be."""
        if not isinstance(node, yaml.MappingNode):
            self._complain(node, "here should be keys with values", _RESTORE)
            return {}
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if key.value in found:
                what = f"'{shown(key.value)}' stands here twice"
                self._complain(key, what, "delete one of the two, after a merge the older")
            elif keys is not None and key.value not in keys:
                self._complain(
                    key, f"unknown key '{shown(key.value)}'", f"known are: {', '.join(keys)}"
                )
            found.setdefault(str(key.value), value)
        for key in (each for each, needed in (keys or {}).items() if needed and each not in found):
            self._complain(node, f"'{key}' is missing", _RESTORE)
        return found

    def _match(self, node: yaml.Node | None, pattern: str, what: str) -> str:
        """A scalar's text; "" where there is none, or where it is something else."""
        if node is None:
            return ""
        if isinstance(node, yaml.ScalarNode) and re.fullmatch(pattern, node.value):
            return str(node.value)
        self._complain(node, f"here should be {what}", _RESTORE)
        return ""

    def _complain(self, node: yaml.Node | None, what: str, fix: str) -> None:
        line = node.start_mark.line + 1 if node else 1
        self.findings.append(Finding(Place(self._file, line), what, fix))
