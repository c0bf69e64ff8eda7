"""`orchestrate status`, `unlock` and `runs`: how things stand, and who is in the way."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from orchestrate.aws.session import Session
from orchestrate.errors import NotConfirmed, OrchestrateError
from orchestrate.runs import journal
from orchestrate.runs.journal import State
from orchestrate.terraform import roots

pytestmark = pytest.mark.usefixtures("on_aws")
Run = Callable[..., Result]
BUCKET = "deeplab-terraform-state-123456789012"
STATE = {
    "lineage": "a",
    "serial": 7,
    "resources": [{"mode": "managed", "type": "aws_vpc", "name": "this", "instances": [{}, {}]}],
    "outputs": {name: {"value": "x", "type": "string"} for name in roots.GLOBAL_TELLS},
}
LOCK = {
    "ID": "5f1c",
    "Who": "ada@desk",
    "Operation": "OperationTypeApply",
    "Created": "2026-11-29T21:00:00.847918004Z",
}


@pytest.fixture
def bucket(orchestrate: Run, session: Session) -> Callable[[str, object], object]:
    """Call it to put an object into the state bucket."""
    assert orchestrate("bootstrap").exit_code == 0
    s3 = session.s3("us-west-2")
    return lambda key, value: s3.put_object(Bucket=BUCKET, Key=key, Body=json.dumps(value).encode())


def test_each_stack_shows_whether_it_is_applied_and_who_holds_its_lock(
    orchestrate: Run, bucket: Callable[[str, object], object]
) -> None:
    bucket("global.tfstate", STATE)
    bucket("global.tfstate.tflock", LOCK)
    told = {each["stack"]: each for each in json.loads(orchestrate("status", "--json").output)}
    assert told["global"]["standing"] == "applied"
    assert (told["global"]["resources"], told["global"]["serial"]) == (2, 7)
    assert told["global"]["lock"]["who"] == "ada@desk"
    assert told["mesh"]["standing"] == "not applied"
    assert "ada@desk since 2026-11-29 21:00:00 UTC\n" in orchestrate("status").output


def test_an_object_that_no_stack_can_have_written_is_told_of(
    orchestrate: Run, bucket: Callable[[str, object], object]
) -> None:
    bucket("../../out.tfstate", STATE)
    told = orchestrate("status")
    assert f"bucket {BUCKET}: warning: no stack is called so" in told.stderr
    assert "'../../out.tfstate'" in told.stderr
    assert "../../out" not in told.stdout


def test_an_instance_whose_tags_are_no_words_is_told_of_with_its_region(
    orchestrate: Run, bucket: Callable[[str, object], object], session: Session
) -> None:
    bucket("cluster-us-west.tfstate", STATE)
    tags = {"fleet": "deeplab", "cluster": "cluster-us-west", "role": "cpu\nHost *"}
    ec2 = session.ec2("us-west-2")
    made = ec2.run_instances(
        ImageId=ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"],
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[
            {
                "ResourceType": "instance",
                "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
            }
        ],
    )
    stranger = made["Instances"][0]["InstanceId"]
    (told,) = orchestrate("status").stderr.split("    fix: ")[:-1]
    assert f"instance {stranger} in us-west-2: warning: left out of the hosts" in told
    assert "'role' is 'cpu\\nHost *'" in told
    stacks = json.loads(orchestrate("status", "--json").stdout)
    (strange,) = [each for stack in stacks for each in stack["strangers"]]
    assert strange["id"] == stranger


def status_of(orchestrate: Run, stack: str) -> dict[str, str]:
    told = {each["stack"]: each for each in json.loads(orchestrate("status", "--json").output)}
    return dict(told[stack])


def broken_off(repository: Path, state: State, **details: str | int) -> str:
    """A run that came so far as to change global; its id."""
    run = journal.begin(
        repository / ".orchestrate" / "runs",
        command="apply",
        argv=["orchestrate"],
        target="aws",
        stacks=["global"],
    )
    run.stack("global", State.APPLYING, changes=92)
    run.stack("global", state, **details)
    run.end(1)
    return run.id


@pytest.mark.parametrize(
    ("state", "how"), [(State.INTERRUPTED, "was interrupted"), (State.FAILED, "failed")]
)
def test_a_stack_whose_apply_was_broken_off_is_incomplete_until_somebody_goes_on(
    orchestrate: Run,
    bucket: Callable[[str, object], object],
    repository: Path,
    state: State,
    how: str,
) -> None:
    bucket("global.tfstate", STATE)
    run = broken_off(repository, state, done=82, changes=92, serial=7)
    told = status_of(orchestrate, "global")
    assert told["standing"] == "incomplete"
    assert told["problem"] == f"run {run} {how}: 82 of 92 changes done"
    bucket("global.tfstate", {**STATE, "serial": 8})
    assert status_of(orchestrate, "global")["standing"] == "applied"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"outputs": {}}, "its first apply did not come to its end"),
        (
            {
                "resources": [
                    {
                        "mode": "managed",
                        "type": "aws_vpc",
                        "name": "this",
                        "instances": [{"status": "tainted"}],
                    }
                ]
            },
            "1 of its resources is half made",
        ),
    ],
    ids=["no outputs", "tainted"],
)
def test_a_state_itself_says_that_it_is_incomplete(
    orchestrate: Run,
    bucket: Callable[[str, object], object],
    change: dict[str, object],
    problem: str,
) -> None:
    bucket("global.tfstate", {**STATE, **change})
    told = status_of(orchestrate, "global")
    assert (told["standing"], told["problem"]) == ("incomplete", problem)


def test_what_an_older_fleet_left_behind_is_shown_as_that(
    orchestrate: Run, bucket: Callable[[str, object], object]
) -> None:
    bucket("cluster-old.tfstate", STATE)
    told = {each["stack"]: each for each in json.loads(orchestrate("status", "--json").output)}
    assert told["cluster-old"]["standing"] == "no longer in the fleet"


def test_check_names_what_is_left_of_a_file_that_is_gone(
    orchestrate: Run, bucket: Callable[[str, object], object]
) -> None:
    bucket("cluster-old.tfstate", STATE)
    bucket("cluster-empty.tfstate", {"lineage": "b", "serial": 3, "resources": []})
    shown = orchestrate("check")
    assert shown.exit_code == 0
    assert "fleet/clusters/cluster-old.yaml: warning: this file is gone" in shown.output
    assert "`orchestrate destroy cluster-old --target aws`" in shown.output
    assert "cluster-empty" not in shown.output


def test_a_state_that_cannot_be_read_is_told_beside_the_others(
    orchestrate: Run, bucket: Callable[[str, object], object], session: Session
) -> None:
    bucket("global.tfstate", STATE)
    session.s3("us-west-2").put_object(
        Bucket=BUCKET, Key="cluster-us-west.tfstate", Body=b'{"resources": ['
    )
    told = {each["stack"]: each for each in json.loads(orchestrate("status", "--json").output)}
    assert told["global"]["standing"] == "applied"
    assert told["cluster-us-west"]["standing"] == "unreadable"
    assert "list-object-versions" in orchestrate("status").output
    listed = orchestrate("output", "--json")
    assert listed.exit_code == 0
    assert "cluster-us-west: its state cannot be read" in listed.stderr


def test_a_lock_that_nothing_proves_dead_is_released_only_on_demand(
    orchestrate: Run, bucket: Callable[[str, object], object]
) -> None:
    bucket("global.tfstate.tflock", LOCK)
    assert isinstance(orchestrate("unlock", "global", "--json").exception, NotConfirmed)
    told = json.loads(orchestrate("unlock", "global", "5f1c", "--yes", "--json").output)
    assert told["released"]["id"] == "5f1c"
    assert told["left_behind"] is False
    again = orchestrate("unlock", "global", "--yes").exception
    assert isinstance(again, OrchestrateError)
    assert "locks held now: none" in str(again)
    wrong = orchestrate("unlock", "globl", "--yes").exception
    assert str(wrong) == "no stack 'globl'; did you mean 'global'?"


def test_runs_show_how_each_ended_and_what_a_stack_failed_of(
    orchestrate: Run, repository: Path
) -> None:
    assert "no runs yet" in orchestrate("runs").output
    past = journal.begin(
        repository / ".orchestrate" / "runs",
        command="apply",
        argv=["orchestrate", "apply", "global"],
        target="aws",
        stacks=["global"],
    )
    past.stack("global", State.FAILED, cause="no room in the region")
    past.log("global").write_text("what Terraform said\n")
    past.end(1)
    assert "failed" in orchestrate("runs").output
    assert "no room in the region" in orchestrate("runs", "last").output
    assert "what Terraform said" in orchestrate("runs", past.id, "--log", "global").output
    assert json.loads(orchestrate("runs", "last", "--json").output)["exit_code"] == 1
    for wrong in ("gloabl", "../journal", ""):
        refused = orchestrate("runs", "last", "--log", wrong).exception
        assert isinstance(refused, OrchestrateError)
        assert f"no log of '{wrong}'" in str(refused)
    for unknown in ("", "../runs", "lst"):
        refused = orchestrate("runs", unknown).exception
        assert isinstance(refused, OrchestrateError)
        assert f"no run '{unknown}'" in str(refused)


def test_a_run_names_the_logs_there_are_and_no_other(orchestrate: Run, repository: Path) -> None:
    past = journal.begin(
        repository / ".orchestrate" / "runs",
        command="destroy",
        argv=["orchestrate", "destroy", "--destroy-data", "west/[x]"],
        target="aws",
        stacks=["global", "west"],
    )
    past.log("west").write_text("what Terraform said\n")
    past.stack("west", State.FAILED, cause="[red]: no such thing")
    past.end(1)
    shown = orchestrate("runs", "last").output
    assert "west.log" in shown
    assert "global.log" not in shown
    assert "west/[x]" in shown
    assert "[red]: no such thing" in shown


def test_what_ended_a_whole_run_is_shown(orchestrate: Run, repository: Path) -> None:
    runs = repository / ".orchestrate" / "runs"
    past = journal.begin(runs, command="roll", argv=[], target="aws", stacks=["cpu.west"])
    past.end(1, "cannot set the size of [cpu]: InternalFailure")
    assert "cannot set the size of [cpu]: InternalFailure" in orchestrate("runs", "last").output


@pytest.mark.parametrize("command", ["plan", "apply", "bake", "destroy", "unlock"])
def test_a_misspelt_name_is_told_before_anything_is_asked(orchestrate: Run, command: str) -> None:
    """No lab runs here."""
    said = str(orchestrate(command, "globl", "--target", "lab").exception)
    assert "globl" in said
    assert "lab is not running" not in said
