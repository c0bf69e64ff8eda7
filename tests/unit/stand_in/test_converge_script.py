"""What converge.sh leaves behind, whatever its client does; the clients here are a few lines."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.unit.stand_in.client import Workshop, missing

# Where a client that went well leaves its words, and where converge.sh puts them.
WELL = """
echo "$@" > "$ORCHESTRATE_STATE/words"
echo '{"client": "fake", "failed": null, "updated": []}' > "$ORCHESTRATE_STATE/report.json.new"
echo '{"role": "some"}' > "$ORCHESTRATE_STATE/converged.json.new"
"""
FAILED = WELL.replace("null", '{"error": "x"}') + "exit 3\n"
DIED = "kill -KILL $$\n"


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path)
    made.set_up({"cookbooks": {"a": {"recipes/default.rb": ""}}})
    return made


def client(workshop: Workshop, script: str) -> dict[str, str]:
    """A client to be chosen before any that is installed."""
    path = workshop.folder / "client"
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return {"ORCHESTRATE_CHEF_COMMAND": str(path)}


def left(workshop: Workshop) -> set[str]:
    return {path.name for path in workshop.state.iterdir()} & {
        "report.json",
        "report.json.new",
        "converged.json",
        "converged.json.new",
    }


def test_a_run_that_goes_well_leaves_its_report_and_what_was_converged_to(
    workshop: Workshop,
) -> None:
    ran = workshop.run(**client(workshop, WELL))
    assert ran.code == 0
    assert left(workshop) == {"report.json", "converged.json"}
    words = (workshop.state / "words").read_text()
    assert "--local-mode" in words
    assert f"--json-attributes {workshop.state}/node.json" in words


def test_a_run_that_only_looks_leaves_what_was_converged_to_before(workshop: Workshop) -> None:
    workshop.run(**client(workshop, WELL))
    before = (workshop.state / "converged.json").stat()
    ran = workshop.run("--why-run", **client(workshop, WELL))
    assert ran.code == 0
    assert (workshop.state / "converged.json").stat().st_ino == before.st_ino
    assert "--why-run" in (workshop.state / "words").read_text()


def test_after_a_failed_run_the_host_counts_as_converged_to_nothing(workshop: Workshop) -> None:
    workshop.run(**client(workshop, WELL))
    ran = workshop.run(**client(workshop, FAILED))
    assert ran.code == 3
    assert left(workshop) == {"report.json", "converged.json.new"}
    assert ran.report["failed"] == {"error": "x"}


def test_a_client_that_dies_has_a_report_nonetheless(workshop: Workshop) -> None:
    ran = workshop.run("--why-run", **client(workshop, DIED))
    assert ran.code == 137
    assert ran.report["failed"]["error"] == (
        "the client ended with code 137 and no report, its log says why"
    )
    assert ran.report["why_run"] is True


def test_a_client_without_a_report_has_failed_whatever_it_says(workshop: Workshop) -> None:
    ran = workshop.run(**client(workshop, "exit 0\n"))
    assert ran.code == 1
    assert "no report" in ran.report["failed"]["error"]


def test_what_chef_kept_of_the_node_is_forgotten(workshop: Workshop) -> None:
    (workshop.state / "nodes").mkdir()
    (workshop.state / "nodes" / "host.json").write_text('{"normal": {"users": ["gone"]}}')
    workshop.run(**client(workshop, WELL))
    assert not (workshop.state / "nodes").exists()


def test_a_second_run_is_told_who_is_at_work(workshop: Workshop) -> None:
    lock = workshop.state / "converge.lock"
    lock.write_text("process 4 of ada, since 03:00:00\n")
    free = ["flock", "--nonblock", str(lock), "true"]
    with subprocess.Popen(["flock", "--no-fork", str(lock), "sleep", "60"]) as holder:
        try:
            while subprocess.run(free, check=False).returncode == 0:
                assert holder.poll() is None
            ran = workshop.run(**client(workshop, WELL))
        finally:
            holder.kill()
    assert ran.code == 75
    assert (
        "another converge is at work on this host: process 4 of ada, since 03:00:00" in ran.output
    )
    assert left(workshop) == set()


def test_a_host_without_a_node_json_is_refused(workshop: Workshop) -> None:
    (workshop.state / "node.json").unlink()
    ran = workshop.run(**client(workshop, WELL))
    assert ran.code == 66
    assert "node.json" in ran.report["failed"]["error"]


def test_an_unknown_option_is_refused(workshop: Workshop) -> None:
    assert workshop.run("--whyrun").code == 64


def test_the_stand_in_runs_only_where_it_is_allowed(workshop: Workshop) -> None:
    if why := missing():
        pytest.skip(why)
    stand_in = workshop.configuration / "stand-in" / "bin" / "stand-in"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(f"#!/bin/sh\n{WELL}")
    stand_in.chmod(0o755)
    installer = workshop.configuration / "client" / "install.sh"
    installer.write_text("echo installing\nexit 1\n")
    nothing_else = {"PATH": "/usr/bin:/bin", "ORCHESTRATE_CHEF_COMMAND": ""}
    assert workshop.run(**nothing_else, ORCHESTRATE_STAND_IN="1").code == 0
    refused = workshop.run(**nothing_else, ORCHESTRATE_STAND_IN="")
    assert refused.code == 69
    assert "installing" in refused.output
    assert "could not be installed" in refused.report["failed"]["error"]


def test_what_is_written_can_be_read_by_root_alone(workshop: Workshop) -> None:
    workshop.run(**client(workshop, WELL))
    modes = {name: (workshop.state / name).stat().st_mode & 0o777 for name in left(workshop)}
    assert modes == {"report.json": 0o600, "converged.json": 0o600}


def test_the_handler_names_the_archive_and_the_node_it_converged_to(tmp_path: Path) -> None:
    if why := missing():
        pytest.skip(why)
    made = Workshop(tmp_path)
    made.set_up({"cookbooks": {"a": {"recipes/default.rb": "log 'x'\n"}}})
    command = Path(__file__).parents[3] / "chef/stand-in/bin/stand-in"
    ran = made.run(ORCHESTRATE_CHEF_COMMAND=str(command))
    assert ran.code == 0, ran.output
    converged = json.loads((made.state / "converged.json").read_text())
    digest = subprocess.run(
        ["sha256sum", str(made.state / "node.json")], capture_output=True, check=True, text=True
    ).stdout.split()[0]
    assert converged.pop("at").endswith("Z")
    assert converged == {
        "archive": "0123abcd",
        "node": digest,
        "role": "some",
        "client": "stand-in 1 (not Chef)",
    }
