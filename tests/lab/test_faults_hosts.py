"""A host hangs, is cut off, loses power; and what that looks like from outside."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab.hosts import missing
from tests.lab.hosts_lab import HostsLab, hosts_lab
from tests.lab.specs import a_spec

pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostsLab]:
    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    with hosts_lab(tmp_path_factory.mktemp("faults")) as lab:
        lab.want(a_spec(1, public_key=lab.public_key, public_ip=lab.public(1)))
        yield lab


def reaches(lab: HostsLab) -> bool:
    """Whether the host's kernel takes a connection."""
    return knock(lab) is not None


def answers(lab: HostsLab) -> bool:
    """Whether its SSH server says who it is."""
    return (knock(lab) or b"").startswith(b"SSH-")


def knock(lab: HostsLab) -> bytes | None:
    """What the SSH port says first, b"" if nothing; None if no connection is made."""
    [spec] = lab.wanted.values()
    try:
        with socket.create_connection((str(spec.public_ip), 22), timeout=2) as connection:
            try:
                return connection.recv(64)
            except TimeoutError:
                return b""
    except OSError:
        return None


def test_a_host_that_hangs_keeps_its_address_and_answers_nothing(lab: HostsLab) -> None:
    [name] = lab.wanted
    assert answers(lab)

    lab.hosts.afflict(name, "hang")
    assert not answers(lab)
    assert reaches(lab), "the kernel still answers"

    lab.hosts.relieve(name, "hang")
    assert answers(lab)


def test_a_host_without_network_is_not_reached_and_comes_back(lab: HostsLab) -> None:
    [name] = lab.wanted

    lab.hosts.afflict(name, "network")
    assert not reaches(lab)

    lab.hosts.relieve(name, "network")
    assert reaches(lab)
    assert answers(lab)


def test_a_host_that_loses_power_boots_again_with_its_disk(lab: HostsLab) -> None:
    [spec] = lab.wanted.values()
    lab.says(spec, "echo kept > file && sync")
    before = lab.says(spec, "ps -o lstart= 1")

    lab.hosts.afflict(spec.instance_id, "reboot")
    lab.until(lambda: lab.state(spec) != "running")
    lab.settle()
    lab.until(lambda: lab.state(spec) == "running")

    assert lab.says(spec, "cat file") == "kept"
    assert lab.says(spec, "ps -o lstart= 1") != before


def test_a_host_that_hangs_can_be_terminated(lab: HostsLab) -> None:
    [spec] = lab.wanted.values()
    lab.hosts.afflict(spec.instance_id, "hang")

    lab.want(replace(spec, state="terminated"))

    assert spec.instance_id not in lab.hosts.states()


def test_what_is_not_there_cannot_fail(lab: HostsLab) -> None:
    with pytest.raises(LabError, match="has no running host"):
        lab.hosts.afflict("i-0000000000000dead", "hang")


def test_the_folder_of_no_host_is_left(lab: HostsLab) -> None:
    assert list(Path(lab.folder / "hosts").iterdir()) == []
