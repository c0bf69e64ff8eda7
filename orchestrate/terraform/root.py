"""A stack as Terraform is run on it, and what an apply of it did."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Root:
    """One stack's rendered folder, and the file that all its terraform calls are logged to, in a
    folder that is there.

    `region` is where its resources are, "" for a stack that has some in several.
    """

    stack: str
    folder: Path
    log: Path
    region: str = ""


@dataclass(frozen=True)
class Applied:
    """What an apply did, as Terraform counts it, and the root's outputs that are not sensitive."""

    stack: str
    add: int
    change: int
    remove: int
    outputs: Mapping[str, object]
