"""Where in the files each part of a fleet stands. Pure; lines are looked up when asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from orchestrate.findings import Place
from orchestrate.fleet.document import Document

At = Callable[..., Place]
"""Gives the place of a path in one file: `at("node_groups", "cpu", "max")`."""


@dataclass(frozen=True)
class Places:
    """The documents a fleet was read from."""

    file: Document
    clusters: Mapping[str, Document] = field(default_factory=dict)
    sites: Mapping[str, Document] = field(default_factory=dict)

    def in_fleet(self, *path: str | int) -> Place:
        """A place in `fleet.yaml`."""
        return self.file.place(*path)

    def in_cluster(self, name: str, *path: str | int) -> Place:
        """A place in the file of the cluster `name`."""
        return self.clusters[name].place(*path)

    def in_site(self, name: str, *path: str | int) -> Place:
        """A place in the file of the site `name`."""
        return self.sites[name].place(*path)
