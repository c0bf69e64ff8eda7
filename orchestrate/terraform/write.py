"""Writes rendered roots to disk. Touches only `*.tf`: what Terraform keeps beside them stays."""

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrate.terraform.roots import MODULES


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Make the `*.tf` files of `folder` exactly `files` (name -> text).

    A file is replaced whole or not at all, and left alone (its time too) where it already says so.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.tf"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        _replace(folder / name, text)


def modules_from(build: Path) -> str:
    """The path to the modules from a stack's folder in `build`, as a module's source.

    Relative, so that the same fleet renders the same bytes in every checkout.
    """
    return Path(os.path.relpath(MODULES, build.resolve() / "stack")).as_posix()


def _replace(file: Path, text: str) -> None:
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(file)
