"""What an operator sees of a bake."""

from orchestrate.bake import Report
from orchestrate.cli.bake_view import PlainLines, planned_row, report_json
from orchestrate.cli.timed_lines import SIGN_OF_LIFE_S
from orchestrate.errors import OrchestrateError
from orchestrate.images.catalogue import Build
from orchestrate.images.needs import Bake, Finish, Nothing, Reuse, Step
from orchestrate.runs.schedule import Outcome, Result
from tests.unit.images.builds import build

ONE = build("base-20261101-0000-aaaaaa")


def test_each_step_is_told_in_words() -> None:
    assert planned_row(Bake("never baked")) == ("bake", "never baked")
    assert planned_row(Reuse(ONE, "never baked")) == (
        f"test and publish {ONE.id}",
        "never baked, but an earlier bake of the very same is there",
    )
    assert planned_row(Finish(ONE, ("eu-west-1",)))[0] == (
        f"copy {ONE.id} to eu-west-1 and promote {ONE.id}"
    )
    assert planned_row(Finish(ONE, ("eu-west-1",), held_back=True))[0] == (
        f"copy {ONE.id} to eu-west-1"
    )
    assert planned_row(Finish(ONE, ()))[0] == f"promote {ONE.id}"


def test_a_long_step_shows_a_sign_of_life_and_no_more() -> None:
    now, said = [0.0], list[str]()
    lines = PlainLines(said.append, lambda: now[0])
    lines.started("base")
    lines.doing("base", "Provisioning with shell script: converge.sh")
    for second in range(1, 100):
        now[0] = float(second)
        lines.detail("base", f"line {second}")
    lines.ended("base", "failed")
    assert said == [
        "[   0.0s] base: begun\n",
        "[   0.0s] base: Provisioning with shell script: converge.sh\n",
        f"[  {SIGN_OF_LIFE_S:.1f}s] base:   line 30\n",
        "[  60.0s] base:   line 60\n",
        "[  90.0s] base:   line 90\n",
        "[  99.0s] base: failed\n",
    ]


def test_a_program_reads_how_every_image_ended() -> None:
    steps: dict[str, Step] = {"base": Nothing(ONE, "neither"), "cpu": Bake("asked for")}
    failed: Result[Build] = Result("cpu", Outcome.FAILED, error=OrchestrateError("it broke"))
    told = report_json(Report(steps, {"cpu": failed}, exit_code=1))
    assert told["exit_code"] == 1
    assert told["images"]["base"]["to_do"] == "nothing"
    assert told["images"]["base"]["outcome"] == "done"
    assert told["images"]["cpu"]["error"] == "it broke"
