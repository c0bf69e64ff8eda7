"""An instance is tested as the one whose console AWS shows, whatever answers at its address."""

from pathlib import Path
from typing import Any

import pytest
from paramiko import ECDSAKey

from orchestrate.aws import instances
from orchestrate.aws.session import Session
from orchestrate.baking import suites
from orchestrate.baking.suites import Subject
from orchestrate.errors import AwsError
from orchestrate.hosts import host_keys
from orchestrate.hosts.failures import HostKeyChanged, Unreachable
from orchestrate.hosts.host_keys import HostKey
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh import KnownByAlias
from orchestrate.hosts.ssh_config import Access
from orchestrate.target import Target
from orchestrate.verify import run as verify

INSTANCE, REGION = "i-0123456789abcdef0", "us-west-2"
SESSION = Session(Target("aws"))


def shown(key: ECDSAKey) -> str:
    line = f"{key.get_name()} {key.get_base64()} root@ip-10-0-0-7\r\n"
    return f"{host_keys.BEGIN}\r\n{line}{host_keys.END}\r\n"


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    key = tmp_path / "key"
    return Subject("b-1", "base", "admin", key, tmp_path, ("base",), {}, tmp_path / "logs", REGION)


class Console:
    """What AWS shows at each look, the last for good; and the first try to connect."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *looks: str) -> None:
        self.looks, self.asked, self.connected = list(looks), 0, False
        monkeypatch.setattr(suites, "CONSOLE_PAUSE_S", 0.0)
        monkeypatch.setattr(instances, "console", self.look)
        monkeypatch.setattr(suites, "_until_it_answers", self.connect)
        monkeypatch.setattr(verify, "run", self.connect)

    def look(self, _session: Session, region: str, instance: str) -> str:
        assert (region, instance) == (REGION, INSTANCE)
        self.asked += 1
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]

    def connect(self, *_: object, **__: object) -> Any:
        self.connected = True
        raise Unreachable("enough seen")


def test_nothing_is_sent_to_an_instance_before_its_console_has_shown_its_keys(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ECDSAKey.generate()
    console = Console(monkeypatch, "", "booting", shown(key))
    with pytest.raises(Unreachable, match="enough seen"):
        suites.run(subject, INSTANCE, "198.18.0.9", SESSION)
    assert console.asked == 3
    known = host_keys.read(subject.logs / "known_hosts")
    assert [one.key for one in known[INSTANCE]] == [HostKey(key.get_name(), key.get_base64())]


def test_who_answers_in_its_place_is_refused(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    Console(monkeypatch, shown(ECDSAKey.generate()))
    with pytest.raises(Unreachable, match="enough seen"):
        suites.run(subject, INSTANCE, "198.18.0.9", SESSION)
    host = Host("b-1", "", "base", "", "", INSTANCE, "running", "198.18.0.9", "198.18.0.9", "admin")
    between = KnownByAlias(host, Access(subject.logs / "known_hosts", None))
    with pytest.raises(HostKeyChanged):
        between.missing_host_key(None, "198.18.0.9", ECDSAKey.generate())


def test_an_instance_that_never_shows_its_keys_is_not_trusted(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(monkeypatch, "booting")
    monkeypatch.setattr(suites, "BOOT_SECONDS", 0.0)
    monkeypatch.setattr(suites, "CONSOLE_SECONDS", 0.0)
    with pytest.raises(Unreachable, match="never showed the keys"):
        suites.run(subject, INSTANCE, "198.18.0.9", SESSION)
    assert not console.connected


def test_a_console_that_may_not_be_read_is_told(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(monkeypatch, "")

    def denied(*_: object) -> str:
        raise AwsError("AccessDenied")

    monkeypatch.setattr(instances, "console", denied)
    with pytest.raises(AwsError):
        suites.run(subject, INSTANCE, "198.18.0.9", SESSION)
    assert not console.connected
