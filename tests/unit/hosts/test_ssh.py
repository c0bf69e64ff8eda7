"""Host keys are trusted once, by instance; a host that is not there does not answer."""

import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from paramiko import ECDSAKey, RSAKey

from orchestrate.hosts.failures import HostKeyChanged, Unreachable
from orchestrate.hosts.host_keys import HostKey, record
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh import Connections, KnownByAlias, answers, patience
from orchestrate.hosts.ssh_config import Access
from orchestrate.shell import Stop
from tests.unit.hosts.conftest import START

KEY, OTHER = ECDSAKey.generate(), ECDSAKey.generate()


def host(name: str, *, via: str | None = None, private: str = "127.0.0.1") -> Host:
    role = "cpu-worker" if via else "bastion"
    return Host(name, "c", role, "cpu", "z", f"i-{name}", "running", private, "", "u", via)


@pytest.fixture
def access(tmp_path: Path) -> Access:
    return Access(tmp_path / "ssh" / "known_hosts", tmp_path / "no key")


def show(access: Access, name: str, key: ECDSAKey, used: list[str] | None = None) -> None:
    """A host shows its key to somebody who connects."""
    heard = used if used is not None else []
    policy = KnownByAlias(host(name), access, lambda one: heard.append(one.name))
    policy.missing_host_key(None, "10.0.0.1", key)


def test_the_first_key_is_kept_told_of_and_accepted_again(access: Access) -> None:
    told: list[str] = []
    show(access, "1", KEY, told)
    kept = access.known_hosts.read_text()
    show(access, "1", KEY, told)
    assert access.known_hosts.read_text() == kept == f"i-1 {KEY.get_name()} {KEY.get_base64()}\n"
    assert told == ["1"]


@pytest.mark.parametrize("shown", [OTHER, RSAKey.generate(1024)], ids=["another", "another type"])
def test_any_other_key_is_refused_naming_the_line_to_remove(
    access: Access, shown: ECDSAKey
) -> None:
    show(access, "0", KEY)
    show(access, "1", KEY)
    with pytest.raises(HostKeyChanged) as refused:
        show(access, "1", shown)
    assert f"{access.known_hosts}:2" in refused.value.what
    assert "remove line 2 (i-1)" in refused.value.fix


def test_of_the_keys_learnt_from_a_console_any_will_do(access: Access) -> None:
    keys = [HostKey(each.get_name(), each.get_base64()) for each in (KEY, OTHER)]
    record(access.known_hosts, {"i-1": keys})
    told: list[str] = []
    show(access, "1", OTHER, told)
    assert told == []
    with pytest.raises(HostKeyChanged):
        show(access, "1", ECDSAKey.generate())


def test_another_instance_on_the_same_address_has_a_key_of_its_own(access: Access) -> None:
    show(access, "1", KEY)
    show(access, "2", OTHER)
    assert len(access.known_hosts.read_text().splitlines()) == 2


def test_a_host_that_is_not_there_does_not_answer(access: Access) -> None:
    nobody = host("nobody", private="127.255.255.254")
    assert answers(nobody, {"nobody": nobody}, access) is False


def test_a_host_behind_a_bastion_that_is_not_there_says_which_it_was(access: Access) -> None:
    door = host("door", private="127.255.255.254")
    inner = host("inner", via="door")
    with (
        Connections({"door": door, "inner": inner}, access, seconds=0) as ways,
        pytest.raises(Unreachable, match=r"door.*127\.255\.255\.254"),
    ):
        ways.run(inner, "true")


@pytest.mark.parametrize(("age", "seconds"), [(0, 60), (20, 40), (59, 3), (86_400, 3)], ids=str)
def test_a_host_is_asked_again_as_long_as_it_may_be_booting(age: int, seconds: float) -> None:
    young = Host("h", "c", "r", "g", "z", "i-1", "running", "10.0.0.1", "", "u", launched=START)
    assert patience(young, START + timedelta(seconds=age)) == seconds


def test_a_rack_is_not_taken_for_one_that_boots() -> None:
    rack = Host("h", "s", "r", "g", "z", "", "physical", "10.0.0.1", "", "u")
    assert patience(rack, datetime.now(START.tzinfo)) < 10


@pytest.mark.parametrize("times", [2, 3])
def test_only_a_second_request_to_stop_ends_the_connections(
    monkeypatch: pytest.MonkeyPatch, access: Access, times: int
) -> None:
    closed, stop = threading.Event(), Stop()
    monkeypatch.setattr(Connections, "close", lambda _: closed.set())
    Connections({}, access).end_on_repeat(stop)
    stop.request()
    assert not closed.is_set()
    for _ in range(times - 1):
        stop.request()
    assert closed.wait(60)
