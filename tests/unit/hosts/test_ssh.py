"""Host keys are trusted once, by instance; a host that is not there does not answer."""

from pathlib import Path

import pytest
from paramiko import BadHostKeyException, ECDSAKey, RSAKey

from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh import KnownByAlias, answers, connect
from orchestrate.hosts.ssh_config import Access

KEY, OTHER = ECDSAKey.generate(), ECDSAKey.generate()


def host(name: str, *, via: str | None = None, private: str = "127.0.0.1") -> Host:
    return Host(name, "c", "cpu-worker", "cpu", "z", f"i-{name}", "running", private, "", "u", via)


@pytest.fixture
def known_hosts(tmp_path: Path) -> Path:
    return tmp_path / "ssh" / "known_hosts"


def test_the_first_key_is_kept_and_the_same_key_accepted_again(known_hosts: Path) -> None:
    policy = KnownByAlias("i-1", known_hosts)
    policy.missing_host_key(None, "10.0.0.1", KEY)
    kept = known_hosts.read_text()
    policy.missing_host_key(None, "10.0.0.2", KEY)
    assert known_hosts.read_text() == kept == f"i-1 {KEY.get_name()} {KEY.get_base64()}\n"


@pytest.mark.parametrize("shown", [OTHER, RSAKey.generate(1024)], ids=["another", "another type"])
def test_any_other_key_is_refused(known_hosts: Path, shown: ECDSAKey) -> None:
    policy = KnownByAlias("i-1", known_hosts)
    policy.missing_host_key(None, "10.0.0.1", KEY)
    with pytest.raises(BadHostKeyException):
        policy.missing_host_key(None, "10.0.0.1", shown)


def test_another_instance_on_the_same_address_has_a_key_of_its_own(known_hosts: Path) -> None:
    KnownByAlias("i-1", known_hosts).missing_host_key(None, "10.0.0.1", KEY)
    KnownByAlias("i-2", known_hosts).missing_host_key(None, "10.0.0.1", OTHER)
    assert len(known_hosts.read_text().splitlines()) == 2


def test_a_connection_takes_the_way_through_the_bastion(known_hosts: Path, tmp_path: Path) -> None:
    door, inner = host("door", private="127.0.0.2"), host("inner", via="door")
    access = Access(known_hosts, tmp_path / "key")
    made = connect(inner, {"door": door, "inner": inner}, access)
    assert (made.user, made.host, made.gateway.host) == ("u", "127.0.0.1", "127.0.0.2")
    assert made.connect_kwargs["allow_agent"] is False
    assert made.connect_kwargs["key_filename"] == [str(tmp_path / "key")]


def test_a_host_that_is_not_there_does_not_answer(known_hosts: Path) -> None:
    nobody = host("nobody", private="127.255.255.254")
    access = Access(known_hosts, known_hosts.parent / "no key")
    assert answers(nobody, {"nobody": nobody}, access) is False
