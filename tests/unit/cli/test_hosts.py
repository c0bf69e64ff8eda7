"""`orchestrate hosts` and `orchestrate ssh`, on instances of a real EC2 API."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from orchestrate.aws.session import Session
from orchestrate.cli.hosts import age
from orchestrate.errors import OrchestrateError

pytestmark = pytest.mark.usefixtures("on_aws")
Run = Callable[..., Result]


def launch(session: Session, **tags: str) -> str:
    """An instance of the fleet in the default VPC, as Terraform would tag it; its id."""
    ec2 = session.ec2("us-west-2")
    image = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    every = {"fleet": "deeplab", "cluster": "cluster-us-west", **tags}
    pairs: Any = [{"Key": key, "Value": value} for key, value in every.items()]
    made = ec2.run_instances(
        ImageId=image,
        InstanceType="c5.large",
        MinCount=1,
        MaxCount=1,
        NetworkInterfaces=[
            {"DeviceIndex": 0, "AssociatePublicIpAddress": tags["role"] == "bastion"}
        ],
        TagSpecifications=[{"ResourceType": "instance", "Tags": pairs}],
    )
    return made["Instances"][0]["InstanceId"]


@pytest.fixture
def worker(session: Session) -> str:
    """A CPU worker behind a bastion; its instance id."""
    launch(session, role="bastion")
    return launch(session, role="cpu-worker", group="cpu")


def test_the_table_names_every_host_and_its_state(orchestrate: Run, worker: str) -> None:
    lines = orchestrate("hosts", "cluster-us-west").output.splitlines()
    assert lines[1].split()[:2] == ["bastion.cluster-us-west", "bastion"]
    assert lines[2].split()[:3] == [f"cpu-{worker[-6:]}.cluster-us-west", "cpu-worker", "cpu"]
    assert "running" in lines[2]


def test_programs_get_the_way_to_each_host(orchestrate: Run, worker: str) -> None:
    (host,) = json.loads(orchestrate("hosts", worker, "--json").output)
    assert host["via"] == "bastion.cluster-us-west"
    assert (host["user"], host["instance_id"]) == ("admin", worker)


def test_the_ssh_configuration_of_one_host_has_its_bastion_too(
    orchestrate: Run, worker: str, session: Session
) -> None:
    launch(session, role="ssh-node", group="adhoc")
    text = orchestrate("hosts", worker, "--ssh-config").output
    assert "ProxyJump bastion.cluster-us-west" in text
    assert "\nHost bastion.cluster-us-west" in text
    assert "adhoc" not in text


@pytest.mark.parametrize(
    "tag",
    [
        {"group": "cpu\n    ProxyCommand touch owned"},
        {"role": "cpu evil.example.net"},
        {"cluster": "../../cluster-us-west"},
    ],
    ids=["a line break in a group", "a space in a role", "a path as a cluster"],
)
def test_an_instance_whose_tags_are_no_words_is_no_host_and_is_told_of_everywhere(
    orchestrate: Run, session: Session, tag: dict[str, str]
) -> None:
    launch(session, role="bastion")
    stranger = launch(session, **{"role": "cpu-worker", "group": "cpu", **tag})
    ((key, value),) = tag.items()
    config = orchestrate("hosts", "--ssh-config")
    assert "bastion.cluster-us-west" in config.stdout
    assert stranger not in config.stdout
    assert value not in config.stdout
    for command in (["hosts", "--ssh-config"], ["hosts"], ["hosts", "--json"]):
        told = orchestrate(*command).stderr.splitlines()
        assert f"instance {stranger} in us-west-2: warning: left out of the hosts: its" in told[0]
        assert f"'{key}'" in told[0]
        assert told[1].startswith("    fix: correct the tag")
    (row,) = [line for line in orchestrate("hosts").stdout.splitlines() if stranger in line]
    assert row.split() == [stranger, "left", "out"]
    (record,) = [
        each for each in json.loads(orchestrate("hosts", "--json").stdout) if "findings" in each
    ]
    assert (record["name"], record["state"]) == (stranger, "left out")
    assert f"'{key}'" in record["findings"][0]["what"]


def test_an_unknown_host_names_the_nearest(orchestrate: Run, worker: str) -> None:
    for command in ("hosts", "ssh"):
        error = orchestrate(command, "bastoin.cluster-us-west").exception
        assert isinstance(error, OrchestrateError)
        assert "did you mean bastion.cluster-us-west" in str(error)


def test_a_host_that_is_not_running_is_not_logged_in_to(
    orchestrate: Run, worker: str, session: Session
) -> None:
    session.ec2("us-west-2").stop_instances(InstanceIds=[worker])
    error = orchestrate("ssh", worker).exception
    assert isinstance(error, OrchestrateError)
    assert "the host is stopped, not running" in str(error)


def test_a_wait_for_a_host_that_is_stopped_says_so(
    orchestrate: Run, worker: str, session: Session
) -> None:
    session.ec2("us-west-2").stop_instances(InstanceIds=[worker])
    failed = orchestrate("hosts", worker, "--wait", "0").exception
    assert isinstance(failed, OrchestrateError)
    assert "won't answer" in str(failed)
    assert "stopped" in str(failed)


def test_hosts_that_do_not_answer_in_time_are_named(
    orchestrate: Run, worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrate.hosts.ssh.CONNECT_SECONDS", 1)
    error = orchestrate("hosts", "--wait", "0").exception
    assert isinstance(error, OrchestrateError)
    assert "0 of 2 hosts answer" in str(error)
    assert f"cpu-{worker[-6:]}.cluster-us-west" in str(error)


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """A program called ssh that prints its words, one a line, and exits with 7."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 7\n')
    program.chmod(0o755)
    return program.parent


def test_openssh_takes_over_with_our_configuration(
    worker: str, stand_in: Path, repository: Path, endpoint: str
) -> None:
    # In a process of its own, whose target is AWS but for the endpoint, as `on_aws` has it here.
    code = (
        "from orchestrate.cli import context, main; from orchestrate.target import Target\n"
        f"context.Context.target = lambda *_: Target('aws', endpoint_url='{endpoint}')\n"
        "main.main()"
    )
    words = [sys.executable, "-c", code, "--root", str(repository), "ssh"]
    ended = subprocess.run(
        [*words, "cpu.cluster-us-west", "ls", "-l", "--json"],
        env={**os.environ, "PATH": f"{stand_in}:{os.environ['PATH']}"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    config = repository / ".orchestrate" / "ssh" / "aws" / "config"
    name = f"cpu-{worker[-6:]}.cluster-us-west"
    assert ended.stdout.splitlines() == ["-F", str(config), name, "ls", "-l", "--json"]
    assert ended.returncode == 7
    read = subprocess.run(
        ["ssh", "-G", "-F", config, name], capture_output=True, text=True, check=True
    )
    assert "proxyjump bastion.cluster-us-west\n" in read.stdout


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-3, "0s"), (59, "59s"), (60, "1m"), (3_700, "1h 1m"), (90_000, "1d 1h")],
)
def test_an_age_has_its_two_largest_units(seconds: int, shown: str) -> None:
    assert age(timedelta(seconds=seconds)) == shown
