"""The catalogue on disk: read whole, changed by one writer at a time.

What is baked for AWS is committed. The AMIs of a lab are one machine's, and so is their catalogue.
"""

from collections.abc import Callable
from pathlib import Path

from orchestrate import record_file
from orchestrate.caches import work_folder
from orchestrate.images import grammar
from orchestrate.images.catalogue import Catalogue

NAME = "images.lock.yaml"


def path_of(root: Path, target: str) -> Path:
    """Where a repository keeps the catalogue of a target, `lab` or `aws`."""
    return (root / "fleet" if target == "aws" else work_folder(root) / target) / NAME


def read(path: Path) -> Catalogue:
    """The catalogue as it stands; an empty one where there is no file yet.

    Raises InvalidInput with every finding of a corrupt file.
    """
    text = record_file.read(path)
    return Catalogue() if text is None else grammar.parse(text, record_file.called(path))


def update(path: Path, change: Callable[[Catalogue], Catalogue]) -> Catalogue:
    """Change the catalogue, and write it if that makes a difference; returns what it is now.

    From reading to writing the lock is held, so `change` must be quick. Raises as `read` and
    `change` do, and OrchestrateError where the file cannot be written.
    """
    with record_file.writing(path, "catalogue"):
        before = read(path)
        after = change(before)
        if after != before:
            record_file.replace(path, grammar.write(after))
        return after
