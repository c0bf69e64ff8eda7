"""Fingerprints of rendered roots: has anything changed since a plan, must init run again?"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from orchestrate.content import counts

MODULES = Path(".terraform") / "modules" / "modules.json"


def of_folder(folder: Path) -> str:
    """The digest (64 hex digits) of a root's own files and of the local modules it was
    initialised with: what a plan is made from, apart from the real world.
    """
    folders = {folder, *(folder / each for each in _modules(folder))}
    files = sorted(
        file for each in folders for file in each.iterdir() if file.is_file() and _is_input(file)
    )
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{os.path.relpath(file, folder)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def for_init(files: Mapping[str, str], *surroundings: str) -> str:
    """The digest of what `terraform init` depends on. Pure.

    That is a root's `terraform` blocks and its modules' names and sources, plus the
    `surroundings`: engine, provider configuration. The files are formatted, so a block ends at
    the first line that is a lone brace.
    """
    digest = hashlib.sha256("\0".join(surroundings).encode())
    for name in sorted(files):
        if name.endswith(".tf"):
            for line in _lines_for_init(files[name].splitlines()):
                digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _lines_for_init(lines: Iterable[str]) -> Iterable[str]:
    inside = False
    for line in lines:
        inside = inside or line.startswith("terraform {")
        if inside or line.startswith("module ") or line.strip().startswith("source "):
            yield line
        if line == "}":
            inside = False


def _is_input(file: Path) -> bool:
    # Terraform reads neither: a name with a dot first, nor an editor's backup.
    if file.name.startswith(".") or not counts(PurePath(file.name)):
        return False
    return file.name.endswith((".tf", ".tf.json", ".tfvars", ".tftpl", ".sh", ".yaml"))


def _modules(folder: Path) -> set[str]:
    try:
        told = json.loads((folder / MODULES).read_text())
    except FileNotFoundError:
        return set()
    return {module["Dir"] for module in told["Modules"]}
