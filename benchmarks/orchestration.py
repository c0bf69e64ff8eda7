"""What orchestration itself costs: everything around Terraform, with a Terraform that takes 2 ms.

Each stack is planned as `orchestrate plan` does it: scheduled, journalled, its stream read, its log
written, with Python's garbage collector set as the program sets it. Warm: its folder is
initialised, one terraform call. Cold: `init` first, two calls. The targets are the best known of
other orchestrators, 2 ms a stack warm and 5 ms cold; 3 ms where each stack waits for the one
before, and 1.2 s for a thousand.
"""

import gc
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.measure import Measurement
from orchestrate import shell
from orchestrate.cli.main import COLLECT_RARELY
from orchestrate.runs import journal
from orchestrate.runs.capacity import available_bytes, cores, slots
from orchestrate.runs.journal import State
from orchestrate.runs.schedule import execute
from orchestrate.shell import Stop
from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.root import Root
from orchestrate.terraform.run import Terraform

After = Mapping[str, set[str]]
ROOT_FILE = 'terraform {\n  backend "s3" {\n  }\n}\n'
ROUNDS = 5
WARM_TARGET_MS, COLD_TARGET_MS = 2.0, 5.0
# One after the other a stack's whole time counts, Terraform's 2 ms included.
WARM_TARGETS_MS = {"1 stack": 3.0, "chain of 20": 3.0, "1,000 independent": 1.2}


def independent(count: int) -> After:
    return {f"stack-{number}": set() for number in range(count)}


def chain(count: int) -> After:
    return {
        f"stack-{number}": {f"stack-{number - 1}"} if number else set() for number in range(count)
    }


def fan(count: int) -> After:
    """One first, `count` after it, one after all of them."""
    middle = {f"stack-{number}": {"global"} for number in range(count)}
    return {"global": set(), **middle, "mesh": set(middle)}


GRAPHS = {
    "1 stack": independent(1),
    "10 independent": independent(10),
    "100 independent": independent(100),
    "1,000 independent": independent(1000),
    "chain of 20": chain(20),
    "fan of 100": fan(100),
}


def build_stub(folder: Path) -> Path:
    """The stub, compiled; raises MissingTool where there is no C compiler."""
    source = Path(__file__).with_name("stub_terraform.c")
    stub = folder / "terraform"
    get_it = "install a C compiler (Debian: apt-get install gcc libc6-dev)"
    shell.run(["cc", "-O2", "-static", "-o", str(stub), str(source)], get_it=get_it)
    return stub


@contextmanager
def workplace(stub: Path, after: After) -> Iterator[tuple[Terraform, Path, dict[str, Root]]]:
    """A run's folder with a root for each stack, and the stub as the engine."""
    environment = {"ORCHESTRATE_TERRAFORM": str(stub), "PATH": os.environ["PATH"]}
    terraform = Terraform(find_engine(environment), environment, Stop())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        roots = {
            stack: Root(stack, folder / "build" / stack, folder / "logs" / f"{stack}.log")
            for stack in after
        }
        (folder / "logs").mkdir()
        for root in roots.values():
            root.folder.mkdir(parents=True)
            (root.folder / "main.tf").write_text(ROOT_FILE)
        yield terraform, folder, roots


def plan_all(terraform: Terraform, folder: Path, roots: Mapping[str, Root], after: After) -> float:
    """Plan every stack in its turn; the seconds it took."""
    begin = time.perf_counter()
    log = journal.begin(
        folder / "runs", command="plan", argv=["benchmark"], target="lab", stacks=after
    )

    def work(stack: str) -> None:
        log.stack(stack, State.PLANNING)
        planned = terraform.plan(roots[stack], log.plan(stack))
        log.stack(stack, State.PLANNED, changes=len(planned.changes))

    at_once = slots(cores(), available_bytes())
    results = execute(after, work, slots=at_once, stop=Stop())
    log.end(0)
    seconds = time.perf_counter() - begin
    failed = [result for result in results.values() if result.error]
    if failed:
        raise SystemExit(f"the benchmark failed: {failed[0].error}")
    return seconds


def cold_and_warm(stub: Path, after: After) -> tuple[float, float]:
    """Milliseconds a stack: the medians of several rounds."""
    cold, warm = [], []
    with workplace(stub, after) as (terraform, folder, roots):
        for _ in range(ROUNDS):
            for root in roots.values():
                shutil.rmtree(root.folder / ".terraform", ignore_errors=True)
            cold.append(plan_all(terraform, folder, roots, after))
            warm.append(plan_all(terraform, folder, roots, after))
    return 1000 * median(cold) / len(after), 1000 * median(warm) / len(after)


def measure() -> Iterator[Measurement]:
    """Milliseconds a stack, for graphs of different shape."""
    at_once = f"{slots(cores(), available_bytes())} at once"
    gc.set_threshold(*COLLECT_RARELY)
    with tempfile.TemporaryDirectory() as folder:
        stub = build_stub(Path(folder))
        for name, after in GRAPHS.items():
            cold, warm = cold_and_warm(stub, after)
            target = WARM_TARGETS_MS.get(name, WARM_TARGET_MS)
            yield Measurement(f"{name}, warm: a stack", warm, "ms", target, at_once)
            yield Measurement(f"{name}, cold: a stack", cold, "ms", COLD_TARGET_MS, at_once)
