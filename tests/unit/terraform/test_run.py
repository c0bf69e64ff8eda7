"""Real Terraform on small roots: its built-in resource needs no provider and no cloud."""

import json
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrate.environment import terraform as environment
from orchestrate.errors import Interrupted, StalePlan, StateLocked, TerraformError
from orchestrate.shell import Stop
from orchestrate.target import Target
from orchestrate.terraform import digest, state
from orchestrate.terraform.binary import Engine, find_engine
from orchestrate.terraform.events import Event, ResourceDone, ResourceFailed, ResourceStarted
from orchestrate.terraform.root import Applied, Root
from orchestrate.terraform.run import Terraform

ROOT = """\
terraform {
  required_version = ">= 1.10"
}

resource "terraform_data" "first" {
  input = "one"
}

output "first" {
  value = terraform_data.first.output
}

output "pre_shared_key" {
  value     = "hush-hush"
  sensitive = true
}
"""
SLOW = ROOT.replace(
    '  input = "one"\n',
    '  input = "one"\n  provisioner "local-exec" {\n    command = "echo > begun; sleep 60"\n  }\n',
)
SECRET = "wJalrXUtnFEMI/K7MDENG"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return find_engine(os.environ)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    for name in ("west", "logs", "plans"):
        (tmp_path / name).mkdir()
    (tmp_path / "west" / "main.tf").write_text(ROOT)
    return Root("west", tmp_path / "west", tmp_path / "logs" / "west.log")


@pytest.fixture
def stop() -> Stop:
    return Stop()


@pytest.fixture
def terraform(engine: Engine, stop: Stop, tmp_path: Path) -> Terraform:
    config = tmp_path / "terraform.tfrc"
    config.touch()
    target = Target("aws", environment={"AWS_SECRET_ACCESS_KEY": SECRET})
    made = environment(os.environ, target, cli_config=config, bytes_each=0)
    return Terraform(engine, made, stop, lock_timeout_s=0)


def commands(root: Root) -> list[str]:
    """The terraform commands that the log says were run."""
    lines = root.log.read_text().splitlines()
    told = [line.split() for line in lines if " $ " in line]
    return [next(w for w in words if w in ("init", "plan", "apply")) for words in told]


def test_plan_apply_plan_ends_with_nothing_to_do(terraform: Terraform, root: Root) -> None:
    saved = root.folder.parent / "plans" / "west.tfplan"
    events: list[Event] = []
    planned = terraform.plan(root, saved)
    assert [change.address for change in planned.changes] == ["terraform_data.first"]
    assert not planned.empty
    applied = terraform.apply(root, saved, events.append)
    assert applied == Applied("west", 1, 0, 0, {"first": "one"})
    assert ResourceStarted("terraform_data.first", "terraform_data", "create") in events
    assert sum(isinstance(event, ResourceDone) for event in events) == 1
    assert terraform.plan(root, saved).empty


def test_a_folder_is_initialised_once_until_what_init_depends_on_changes(
    terraform: Terraform, root: Root
) -> None:
    saved = root.folder.parent / "west.tfplan"
    terraform.plan(root, saved)
    terraform.plan(root, saved)
    assert commands(root) == ["init", "plan", "plan"]
    main = root.folder / "main.tf"
    main.write_text(ROOT.replace("one", "two"))
    terraform.plan(root, saved)
    assert commands(root)[3:] == ["plan"]
    main.write_text(ROOT.replace(">= 1.10", ">= 1.9"))
    terraform.plan(root, saved)
    assert commands(root)[4:] == ["init", "plan"]


def test_a_folder_that_terraform_wants_initialised_again_is(
    terraform: Terraform, root: Root
) -> None:
    saved = root.folder.parent / "west.tfplan"
    terraform.plan(root, saved)
    module = root.folder.parent / "module"
    module.mkdir()
    # A module's own module is none of the root's files, so that the note of the last init fits.
    (module / "main.tf").write_text('module "inner" {\n  source = "./inner"\n}\n')
    (module / "inner").mkdir()
    (module / "inner" / "main.tf").write_text('output "x" {\n  value = 1\n}\n')
    (root.folder / "main.tf").write_text(ROOT + 'module "m" {\n  source = "../module"\n}\n')
    terraform.plan(root, saved)
    (module / "main.tf").write_text('module "renamed" {\n  source = "./inner"\n}\n')
    terraform.plan(root, saved)
    assert commands(root)[-3:] == ["plan", "init", "plan"]


def test_a_destroy_plan_takes_everything_away(terraform: Terraform, root: Root) -> None:
    saved = root.folder.parent / "west.tfplan"
    terraform.plan(root, saved)
    terraform.apply(root, saved)
    planned = terraform.plan(root, saved, destroy=True)
    assert [change.action for change in planned.changes] == ["destroy"]
    assert terraform.apply(root, saved).remove == 1


def test_a_changed_output_alone_is_worth_an_apply(terraform: Terraform, root: Root) -> None:
    saved = root.folder.parent / "west.tfplan"
    terraform.plan(root, saved)
    terraform.apply(root, saved)
    main = root.folder / "main.tf"
    main.write_text(ROOT.replace("hush-hush", "hush"))
    planned = terraform.plan(root, saved)
    assert planned.changes == ()
    assert not planned.empty


def test_a_saved_plan_tells_the_state_it_was_made_from(terraform: Terraform, root: Root) -> None:
    saved, current = root.folder.parent / "west.tfplan", root.folder / "terraform.tfstate"
    terraform.plan(root, saved)
    assert state.planned_position(saved) == state.NOTHING
    terraform.apply(root, saved)
    terraform.plan(root, saved)
    fresh = state.position(current.read_bytes())
    assert state.planned_position(saved) == fresh != state.NOTHING
    (root.folder / "main.tf").write_text(ROOT.replace("one", "two"))
    other = root.folder.parent / "other.tfplan"
    terraform.plan(root, other)
    terraform.apply(root, other)
    assert state.why_stale(fresh, state.position(current.read_bytes())) != ""
    with pytest.raises(StalePlan):
        terraform.apply(root, saved)


def test_neither_secrets_nor_sensitive_outputs_are_seen_or_left_behind(
    terraform: Terraform, root: Root
) -> None:
    talkative = f'output "odd" {{\n  value = file("{SECRET}")\n}}\n'
    (root.folder / "main.tf").write_text(ROOT)
    saved = root.folder.parent / "west.tfplan"
    events: list[Event] = []
    terraform.plan(root, saved, events.append)
    terraform.apply(root, saved, events.append)
    (root.folder / "main.tf").write_text(ROOT + talkative)
    with pytest.raises(TerraformError) as raised:
        terraform.plan(root, saved, events.append)
    seen = f"{events} {raised.value} {root.log.read_text()}"
    assert SECRET not in seen
    assert "hush-hush" not in seen
    assert "(hidden)" in str(raised.value)
    assert [file.name for file in root.log.parent.iterdir()] == ["west.log"]


def test_a_mistake_in_a_root_is_told_with_its_place(terraform: Terraform, root: Root) -> None:
    (root.folder / "main.tf").write_text(ROOT + 'output "odd" {\n  value = nothing.here\n}\n')
    with pytest.raises(TerraformError, match=r"main\.tf:18") as raised:
        terraform.plan(root, root.folder.parent / "west.tfplan")
    assert raised.value.where == "west"
    assert str(root.log) in raised.value.fix


def test_a_state_that_another_run_has_locked_is_told_with_who_and_when(
    terraform: Terraform, engine: Engine, root: Root, tmp_path: Path
) -> None:
    saved, busy, started = tmp_path / "west.tfplan", Stop(), threading.Event()
    (root.folder / "main.tf").write_text(SLOW)
    terraform.plan(root, saved)
    other = Terraform(engine, {"PATH": os.environ["PATH"]}, busy)
    elsewhere = Root("west", root.folder, tmp_path / "logs" / "other.log")
    follow = lambda event: started.set() if isinstance(event, ResourceStarted) else None  # noqa: E731
    with ThreadPoolExecutor(1) as pool:
        at_work = pool.submit(other.apply, elsewhere, saved, follow)
        started.wait()
        with pytest.raises(StateLocked, match=rf"@{socket.gethostname()} \(apply, since"):
            terraform.plan(root, tmp_path / "other.tfplan")
        busy.request()
        assert isinstance(at_work.exception(), Interrupted)


def test_an_interrupt_lets_terraform_release_its_lock(
    terraform: Terraform, root: Root, stop: Stop
) -> None:
    saved = root.folder.parent / "west.tfplan"
    (root.folder / "main.tf").write_text(SLOW)
    terraform.plan(root, saved)
    os.mkfifo(root.folder / "begun")

    given_up: list[str] = []

    def stop_when_started(event: Event) -> None:
        if isinstance(event, ResourceFailed) and event.given_up:
            given_up.append(event.address)
        if isinstance(event, ResourceStarted):
            # Terraform tells of the create before it creates: what it leaves must be there first.
            (root.folder / "begun").read_text()
            assert (root.folder / ".terraform.tfstate.lock.info").exists()
            stop.request()

    with pytest.raises(Interrupted):
        terraform.apply(root, saved, stop_when_started)
    assert given_up == ["terraform_data.first"]
    assert not (root.folder / ".terraform.tfstate.lock.info").exists()
    tainted = json.loads((root.folder / "terraform.tfstate").read_text())["resources"][0]
    assert tainted["instances"][0]["status"] == "tainted"
    with pytest.raises(Interrupted):
        terraform.plan(root, saved)


def test_each_process_is_told_before_and_after_it_starts(
    engine: Engine, stop: Stop, tmp_path: Path, root: Root
) -> None:
    started: list[tuple[str, int | None]] = []
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    note = lambda stack, pid: started.append((stack, pid))  # noqa: E731
    Terraform(engine, environment, stop, on_start=note).plan(root, tmp_path / "west.tfplan")
    told = [(stack, pid is None) for stack, pid in started]
    assert told == [("west", True), ("west", False)] * 2


def test_a_bug_in_who_follows_does_not_leave_terraform_at_work(
    terraform: Terraform, root: Root, tmp_path: Path
) -> None:
    (root.folder / "main.tf").write_text(SLOW)
    terraform.plan(root, tmp_path / "west.tfplan")

    def stumble(event: Event) -> None:
        if isinstance(event, ResourceStarted):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        terraform.apply(root, tmp_path / "west.tfplan", stumble)
    assert not (root.folder / ".terraform.tfstate.lock.info").exists()


def test_the_digest_of_a_planned_folder_stays_the_same(terraform: Terraform, root: Root) -> None:
    terraform.init(root)
    before = digest.of_folder(root.folder)
    terraform.plan(root, root.folder.parent / "west.tfplan")
    assert digest.of_folder(root.folder) == before


def test_a_saved_plan_is_shown_attribute_by_attribute_without_what_is_sensitive(
    terraform: Terraform, root: Root, tmp_path: Path
) -> None:
    main = root.folder / "main.tf"
    secret = 'resource "terraform_data" "secret" {\n  input = sensitive("hush-%s")\n}\n'
    main.write_text(ROOT + secret % "one")
    terraform.plan(root, tmp_path / "first")
    terraform.apply(root, tmp_path / "first")
    main.write_text(ROOT.replace('"one"', '"two"') + secret % "two")
    terraform.plan(root, tmp_path / "second")
    found = terraform.show(root, tmp_path / "second")
    (row, *_) = found["terraform_data.first"]
    assert (row.path, row.before, row.after) == ("input", "one", "two")
    assert {each.path: each.sensitive for each in found["terraform_data.secret"]}["input"]
    assert "hush" not in str(found)
    assert [file.name for file in root.log.parent.iterdir()] == ["west.log"]


def test_what_is_no_plan_cannot_be_shown(terraform: Terraform, root: Root, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("no plan")
    with pytest.raises(TerraformError):
        terraform.show(root, tmp_path / "odd")
