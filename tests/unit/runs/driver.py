"""A run of five stacks, two at a time, with the stub as Terraform: what tests interrupt and kill.

Run as a program: `python driver.py FOLDER`. Prints each stack's outcome as JSON.
"""

import json
import os
import sys
from pathlib import Path

from orchestrate.runs import journal
from orchestrate.runs.exit_code import exit_code
from orchestrate.runs.journal import State
from orchestrate.runs.schedule import Outcome, Result, execute
from orchestrate.shell import Stop
from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.root import Applied, Root
from orchestrate.terraform.run import Terraform

AFTER = {
    "global": set[str](),
    "east": {"global"},
    "west": {"global"},
    "south": {"global"},
    "mesh": {"east", "west", "south"},
}
STATES = {Outcome.DONE: State.APPLIED, Outcome.INTERRUPTED: State.INTERRUPTED}


def main(folder: Path) -> int:
    stub = Path(__file__).with_name("stub_terraform.sh")
    environment = {"PATH": os.environ["PATH"], "ORCHESTRATE_TERRAFORM": str(stub)}
    run = journal.begin(
        folder / "runs", command="apply", argv=["orchestrate"], target="lab", stacks=AFTER
    )
    stop = Stop()
    terraform = Terraform(find_engine(environment), environment, stop, on_start=run.child)

    def work(stack: str) -> Applied:
        run.stack(stack, State.APPLYING)
        root = Root(stack, folder / stack, run.log(stack))
        return terraform.apply(root, run.plan(stack))

    def ended(result: Result[Applied]) -> None:
        if result.outcome in STATES:
            run.stack(result.stack, STATES[result.outcome])

    results = execute(AFTER, work, slots=2, stop=stop, ended=ended)
    outcomes = {stack: result.outcome for stack, result in results.items()}
    code = exit_code(outcomes.values())
    run.end(code)
    print(json.dumps(outcomes))
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
