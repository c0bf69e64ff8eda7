"""Our plan and apply of one stack beside bare terraform in the same folder: not slower.

Bare terraform runs on the root we rendered, already initialised, against the same API (a lab
without hosts). What we add is loading, checking and rendering the fleet, the journal and the log;
what we save is time in the provider's garbage collector, so bare terraform is measured with
GOGC=400 as well. The stack is `global`, which needs no other, so that one stack is planned on both
sides; an apply is of a saved plan.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Measurement, Side, Work, in_turns, program
from orchestrate.caches import cache_folder
from orchestrate.environment import terraform as environment
from orchestrate.fleet.load import load
from orchestrate.lab.client import target
from orchestrate.lab.paths import FOLDER_VARIABLE
from orchestrate.terraform.binary import Engine, find_engine
from orchestrate.terraform.providers import cli_config

ROOT = Path(__file__).resolve().parents[1]
STACK = "global"
PLAN_ROUNDS, APPLY_ROUNDS = 7, 2
TARGET = 1.0
BARE, RELAXED, OURS = "terraform", "terraform, GOGC=400", "orchestrate"


@dataclass(frozen=True)
class Site:
    """A repository of its own with a lab of its own, and terraform as one would run it by hand."""

    root: Path
    engine: Engine
    plain: Mapping[str, str]

    def orchestrate(self, *arguments: object, ok: tuple[int, ...] = (0,)) -> Work:
        here = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-P", "-m", "orchestrate", "--root", self.root]
        return program(*command, *arguments, env=here, ok=ok)

    def terraform(self, *arguments: object, relaxed: bool = False) -> Work:
        folder = self.root / ".orchestrate" / "build" / "lab" / STACK
        env = {**self.plain, "GOGC": "400"} if relaxed else self.plain
        return program(*self.engine.argv, f"-chdir={folder}", *arguments, env=env)


def measure() -> Iterator[Measurement]:
    """Seconds of each side, then our time as a multiple of bare terraform's."""
    with site() as here:
        yield from _compared("plan", in_turns(PLAN_ROUNDS, plan_sides(here)))
        yield from _compared("apply", in_turns(APPLY_ROUNDS, apply_sides(here), warm_up=False))


def plan_sides(here: Site) -> dict[str, Side]:
    """A plan of everything in the stack, saved."""
    bare = ["plan", "-input=false", f"-out={here.root / 'bare.tfplan'}"]
    return {
        BARE: Side(here.terraform(*bare)),
        RELAXED: Side(here.terraform(*bare, relaxed=True)),
        OURS: Side(here.orchestrate("plan", STACK, ok=(2,))),
    }


def apply_sides(here: Site) -> dict[str, Side]:
    """An apply of a saved plan; what it made is destroyed after each turn."""
    bare, saved = here.root / "bare.tfplan", here.root / "saved"
    plan = here.terraform("plan", "-input=false", f"-out={bare}")
    destroy = here.orchestrate("destroy", STACK, "--yes", "--destroy-data", f"{STACK}/*")

    def plan_anew() -> None:
        shutil.rmtree(saved, ignore_errors=True)
        here.orchestrate("plan", STACK, "--save", saved, ok=(2,))()

    apply = ["apply", "-input=false", bare]
    return {
        BARE: Side(here.terraform(*apply), plan, destroy),
        RELAXED: Side(here.terraform(*apply, relaxed=True), plan, destroy),
        OURS: Side(here.orchestrate("apply", "--plan", saved, "--yes"), plan_anew, destroy),
    }


@contextmanager
def site() -> Iterator[Site]:
    """This repository's fleet in a folder of its own, its lab up, the state bucket made."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER_VARIABLE] = f"{folder}/lab"
        root = Path(folder) / "repository"
        root.mkdir()
        shutil.copytree(ROOT / "fleet", root / "fleet")
        (root / "terraform").symlink_to(ROOT / "terraform")
        engine = find_engine(os.environ)
        account = load(root / "fleet").file.account
        here = Site(root, engine, {})
        here.orchestrate("lab", "up", "--no-hosts")()
        try:
            config = cli_config(engine, os.environ, cache_folder())
            # No memory to spare is what leaves the provider's collector as Go has it.
            plain = environment(os.environ, target(account), cli_config=config, bytes_each=0)
            here.orchestrate("bootstrap")()
            here.orchestrate("plan", STACK, ok=(2,))()
            yield Site(root, engine, plain)
        finally:
            here.orchestrate("lab", "down")()


def _compared(what: str, medians: Mapping[str, float]) -> Iterator[Measurement]:
    for side, taken in medians.items():
        yield Measurement(f"{what}, {side}", taken, "s")
    yield Measurement(
        f"{what}, orchestrate : terraform", medians[OURS] / medians[BARE], "x", TARGET
    )
    relaxed = medians[OURS] / medians[RELAXED]
    yield Measurement(f"{what}, orchestrate : terraform, GOGC=400", relaxed, "x")
