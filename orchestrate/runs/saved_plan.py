"""Plans kept to be applied later: a folder with Terraform's plan files and a manifest.

The manifest says what a plan file alone does not: the target, the account, and the fingerprint of
the rendered root. Plan files can hold secrets, so the folder is for its owner's eyes only.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from orchestrate.changes import Action, Change
from orchestrate.errors import OrchestrateError
from orchestrate.plain_text import is_word, shown

MANIFEST = "manifest.json"
VERSION = 1


@dataclass(frozen=True)
class SavedStack:
    """One stack's plan; `digest` is that of the root it was made from. `partial` is one that a
    destroy takes something from and leaves standing.
    """

    digest: str
    empty: bool
    changes: tuple[Change, ...]
    partial: bool = False


@dataclass(frozen=True)
class SavedPlan:
    """What a saved plan would do, and to what. `command` is `apply` or `destroy`."""

    command: str
    target: str
    account: str
    run: str
    stacks: Mapping[str, SavedStack]


def save(folder: Path, plan: SavedPlan, files: Mapping[str, Path]) -> None:
    """Write the plan and copies of Terraform's plan `files` (by stack) to a new folder.

    Raises OrchestrateError when the folder is there already: a plan is never overwritten.
    """
    try:
        folder.mkdir(parents=True, mode=0o700)
    except FileExistsError:
        raise OrchestrateError(
            "there is something already", where=str(folder), fix="choose a new name for the plan"
        ) from None
    # What holds secrets is never git's to commit, wherever the folder lies.
    (folder / ".gitignore").write_text("*\n")
    for stack, file in files.items():
        shutil.copyfile(file, plan_file(folder, stack))
    manifest = {"version": VERSION, **asdict(plan)}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")


def load(folder: Path) -> SavedPlan:
    """Read a saved plan's manifest; raises OrchestrateError when there is none, or it is broken."""
    try:
        told = json.loads((folder / MANIFEST).read_text())
        if told.pop("version") != VERSION:
            raise ValueError("written by another version of orchestrate")
        stacks = {name: _stack(each) for name, each in told.pop("stacks").items()}
        # They become paths, and the manifest may have come from anywhere.
        if strange := [shown(name) for name in stacks if not is_word(name)]:
            raise ValueError(f"no stack can be called '{strange[0]}'")
        return SavedPlan(**told, stacks=stacks)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise OrchestrateError(
            f"not a saved plan ({problem})",
            where=str(folder),
            fix="make one with `orchestrate plan --save FOLDER`",
        ) from problem


def plan_file(folder: Path, stack: str) -> Path:
    return folder / f"{stack}.tfplan"


def _stack(told: dict[str, object]) -> SavedStack:
    changes = tuple(
        Change(**{**each, "action": Action(each["action"])})
        for each in told["changes"]  # type: ignore[attr-defined]
    )
    partial = bool(told.get("partial", False))
    return SavedStack(str(told["digest"]), bool(told["empty"]), changes, partial)
