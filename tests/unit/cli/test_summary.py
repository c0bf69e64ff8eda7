"""The tables of a run, as text."""

from pathlib import Path

from rich.console import Console

from orchestrate.changes import Action, Change, Provisional
from orchestrate.cli import summary
from orchestrate.errors import TerraformError
from orchestrate.run_report import Report
from orchestrate.runs.schedule import Outcome, Result
from orchestrate.terraform.plan import StackPlan
from orchestrate.terraform.root import Applied

BUCKET = 'module.storage.aws_s3_bucket.this["datasets"]'
PLANS: dict[str, StackPlan | Provisional] = {
    "mesh": Provisional("mesh", frozenset({"cluster-a"})),
    "cluster-a": StackPlan(
        "cluster-a",
        (
            Change("cluster-a", "aws_vpc.this", "aws_vpc", Action.ADD),
            Change("cluster-a", BUCKET, "aws_s3_bucket", Action.DESTROY, "it is gone"),
        ),
        empty=False,
    ),
    "global": StackPlan("global", (), empty=True),
}
FAILED = TerraformError("no room in the region", where="cluster-a", fix="see the log")
REPORT = Report(
    "20261129-221504-3fa1",
    Path("runs/x"),
    destroying=False,
    planned={name: Result(name, Outcome.DONE, plan) for name, plan in PLANS.items()},
    applied={
        "global": Result("global", Outcome.DONE, Applied("global", 3, 0, 1, {}), seconds=4.2),
        "cluster-a": Result("cluster-a", Outcome.FAILED, error=FAILED),
        "mesh": Result("mesh", Outcome.SKIPPED, because="cluster-a"),
    },
    exit_code=1,
)


def text(printed: object) -> list[str]:
    console = Console(width=120)
    with console.capture() as capture:
        console.print(printed)
    return [" ".join(line.split()) for line in capture.get().splitlines()]


def test_a_plan_has_a_row_a_stack_with_what_cannot_be_planned_yet_last() -> None:
    assert text(summary.plan_table(PLANS)) == [
        "stack add change replace destroy",
        "cluster-a 1 · · 1",
        "global · · · · no changes",
        "mesh ? ? ? ? provisional: planned once cluster-a is applied",
    ]


def test_destructive_changes_and_lost_data_are_spelled_out_and_the_rest_on_request() -> None:
    brief = dict(summary.details(PLANS, everything=False))
    assert len(brief) == 2
    assert "cluster-a/bucket/datasets" in str(brief)
    assert "aws_vpc.this" not in str(brief)
    assert "aws_vpc.this" in str(dict(summary.details(PLANS, everything=True)))


def test_s6_a_failed_stack_has_its_cause_log_dependents_and_the_command_that_resumes() -> None:
    assert text(summary.results_table(REPORT))[1:] == [
        "global done 3 0 1 4",
        "cluster-a failed 0",
        "mesh skipped 0 cluster-a failed",
    ]
    told = "\n".join([*summary.causes(REPORT), *summary.next_steps(REPORT, "lab")])
    assert "no room in the region" in told
    assert "runs/x/logs/cluster-a.log" in told
    assert "orchestrate apply cluster-a mesh --target lab" in told


def test_a_program_gets_the_same_as_data() -> None:
    told = summary.report_json(REPORT)
    assert told["exit_code"] == 1
    results = told["results"]
    assert isinstance(results, dict)
    assert results["cluster-a"]["outcome"] == "failed"
    assert results["mesh"]["because"] == "cluster-a"
