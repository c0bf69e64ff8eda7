"""The configuration, read back by OpenSSH itself."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrate.aws.instances import Instance
from orchestrate.fleet.models import Fleet
from orchestrate.hosts.inventory import Host, hosts
from orchestrate.hosts.ssh_config import Access, openssh, ssh_config

CPU = "cpu-9f1a2b.cluster-us-west"
BASTION = "bastion.cluster-us-west"


@pytest.fixture
def known(fleet: Fleet, instance: Callable[..., Instance], bastion: Instance) -> list[Host]:
    stopped = instance("i-00000000000abcdef", state="stopped")
    return hosts(fleet, [bastion, instance("i-000000000009f1a2b"), stopped])


def as_openssh_reads_it(config: Path, name: str) -> dict[str, str]:
    told = subprocess.run(
        ["ssh", "-G", "-F", str(config), name], capture_output=True, text=True, check=True
    )
    return dict(line.split(" ", 1) for line in told.stdout.splitlines() if " " in line)


@pytest.fixture
def config(known: list[Host], tmp_path: Path) -> Path:
    access = Access(tmp_path / "a folder" / "known_hosts", tmp_path / "100%" / "key")
    path = tmp_path / "config"
    path.write_text(ssh_config(known, access))
    return path


def test_a_private_host_goes_through_the_bastion_with_its_key_known_by_id(config: Path) -> None:
    read = as_openssh_reads_it(config, CPU)
    assert read["hostname"] == "10.1.0.43"
    assert read["proxyjump"] == BASTION
    assert read["user"] == "ubuntu"
    assert read["hostkeyalias"] == "i-000000000009f1a2b"


def test_the_bastion_is_reached_directly(config: Path) -> None:
    read = as_openssh_reads_it(config, BASTION)
    assert (read["hostname"], read["user"]) == ("198.18.0.10", "admin")
    assert "proxyjump" not in read


@pytest.mark.parametrize("name", [CPU, BASTION, "i-000000000009f1a2b", "sf-gpu1.site-sf"])
def test_every_host_gets_our_key_our_known_hosts_and_no_agent(
    config: Path, name: str, tmp_path: Path
) -> None:
    read = as_openssh_reads_it(config, name)
    assert read["identityfile"] == str(tmp_path / "100%%" / "key")
    assert read["identitiesonly"] == "yes"
    assert read["userknownhostsfile"] == str(tmp_path / "a folder" / "known_hosts")
    assert read["stricthostkeychecking"] == "accept-new"
    assert read["forwardagent"] == "no"


def test_hosts_that_are_not_ours_keep_their_own_settings(config: Path) -> None:
    read = as_openssh_reads_it(config, "github.com")
    assert read["stricthostkeychecking"] == "ask"
    assert read["identitiesonly"] == "no"


def test_a_host_that_is_not_up_is_left_out(config: Path) -> None:
    assert "abcdef" not in config.read_text()


def test_without_a_key_of_ours_the_operator_s_own_are_used(
    known: list[Host], tmp_path: Path
) -> None:
    assert "Identit" not in ssh_config(known, Access(tmp_path / "known_hosts"))


def test_no_hosts_is_a_configuration_too(tmp_path: Path) -> None:
    assert ssh_config([], Access(tmp_path)) == "# no host is up\n"


def test_a_command_goes_to_openssh_as_it_is(known: list[Host]) -> None:
    words = openssh(Path("/c"), known[1], ["ls", "-l", "a b"])
    assert words == ["ssh", "-F", "/c", CPU, "ls", "-l", "a b"]
