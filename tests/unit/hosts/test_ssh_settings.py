"""What the operator's SSH settings mean for both ways to hosts, and what counts for neither."""

import os
from pathlib import Path

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.hosts import host_keys
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh import _connection, _credentials, answers
from orchestrate.hosts.ssh_config import Access
from orchestrate.hosts.ssh_settings import BadSettings, Settings, of, parse
from orchestrate.verify import run as verify
from orchestrate.verify import way
from orchestrate.verify.checks import Check
from tests.unit.hosts.test_ssh_config import as_openssh_reads_it

DOOR = Host("bastion.c", "c", "bastion", "", "z", "i-1", "running", "10.0.0.1", "198.18.0.1", "u")
INNER = Host(
    "cpu-1.c", "c", "cpu-worker", "", "z", "i-2", "running", "10.0.0.2", "", "u", DOOR.name
)
HOSTS = {host.name: host for host in (DOOR, INNER)}


@pytest.fixture
def access(tmp_path: Path) -> Access:
    return Access(tmp_path / "known_hosts", settings=str(tmp_path / "config"))


def settings(access: Access, text: str, host: Host = DOOR) -> Settings:
    Path(access.settings).write_text(text)
    return of(host, HOSTS, access)


def test_without_any_settings_the_hosts_login_and_port_count(access: Access) -> None:
    found = of(DOOR, HOSTS, access)
    assert (found.user, found.port, found.alone, found.agent, found.proxy) == (
        "u",
        22,
        False,
        "",
        "",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Host *\n  Port 2222\n",
        "Port 2222\nUser nobody\nHostName 192.0.2.1\n",
        "Match exec true\n  Port 2222\n  User nobody\n",
        "Match host bastion.c exec false\n  IdentitiesOnly yes\n",
    ],
)
def test_what_we_know_of_a_host_is_not_the_operators_to_say(access: Access, text: str) -> None:
    found = settings(access, text)
    assert (found.user, found.port, found.alone) == ("u", 22, False)


def test_keys_and_agent_are_the_operators(access: Access, tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.write_text("IdentitiesOnly yes\n")
    text = f"Include {more}\nMatch exec true\n  IdentityFile {tmp_path}/key\nIdentityAgent none\n"
    found = settings(access, text)
    assert found.identities == (tmp_path / "key",)
    assert (found.alone, found.agent) == (True, None)
    assert settings(access, "IdentityAgent ~/agent.sock\n").agent == str(
        Path("~/agent.sock").expanduser()
    )


@pytest.mark.parametrize(
    ("text", "proxy"),
    [
        ("ProxyCommand nc -X 5 %h %p\n", "nc -X 5 %h %p"),
        ("ProxyCommand none\n", ""),
        ("ProxyJump me@corp:99\n", "ssh -W [%h]:%p ssh://me@corp:99"),
        ("ProxyJump a,b:1\n", "ssh -W [%h]:%p -J a ssh://b:1"),
    ],
)
def test_a_way_out_of_the_operators_own_leads_to_the_bastion_and_not_around_it(
    access: Access, text: str, proxy: str
) -> None:
    assert settings(access, text).proxy == proxy
    assert settings(access, text, INNER).proxy == ""


@pytest.mark.parametrize("text", ["Frobnicate yes\n", "Host *\nPort many\n", "Match nonsense\n"])
def test_a_mistake_in_the_settings_is_told_and_no_host_is_silent_for_it(
    access: Access, text: str, tmp_path: Path
) -> None:
    Path(access.settings).write_text(text)
    with pytest.raises(BadSettings, match=rf"{access.settings}.*line \d"):
        answers(DOOR, HOSTS, access)
    check = Check(DOOR, (), {})
    with pytest.raises(BadSettings, match=access.settings):
        verify.run([check], access=access, root=tmp_path, logs=tmp_path / "logs")


def test_both_ways_agree(access: Access, tmp_path: Path) -> None:
    Path(access.settings).write_text(
        "Host *\n  Port 2222\n  IdentitiesOnly yes\n  RequestTTY force\n  RemoteCommand tmux\n"
        "  LocalForward 8080 localhost:80\n  VisualHostKey yes\n"
    )
    config = tmp_path / "verify"
    config.write_text(way.config(HOSTS.values(), access))
    read = as_openssh_reads_it(config, INNER.name)
    ours = of(INNER, HOSTS, access)
    assert (read["user"], read["port"], read["hostname"]) == (ours.user, str(ours.port), "10.0.0.2")
    assert (read["identitiesonly"], ours.alone) == ("yes", True)
    assert (read["requesttty"], read["visualhostkey"], read["batchmode"]) == ("false", "no", "yes")
    assert "remotecommand" not in read
    assert read["clearallforwardings"] == "yes"


def test_with_a_key_of_ours_nothing_of_the_operators_is_read(
    access: Access, tmp_path: Path
) -> None:
    own = Access(access.known_hosts, tmp_path / "key", access.settings)
    assert settings(own, "Frobnicate yes\n") == Settings(
        "u", identities=(tmp_path / "key",), alone=True, agent=None
    )
    assert "Include" not in way.config(HOSTS.values(), own)


def test_what_fabric_and_invoke_would_read_counts_for_nothing(
    access: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".fabric.yaml", ".invoke.yaml"):
        (tmp_path / name).write_text("port: 2222\nuser: nobody\ntimeouts: {connect: 1}\n")
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Port 2222\nUser nobody\nProxyJump nobody\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("FABRIC_PORT", "2222")
    monkeypatch.setenv("INVOKE_TIMEOUTS_CONNECT", "1")
    made = _connection(DOOR, None, of(DOOR, HOSTS, access))
    assert (made.host, made.user, made.port) == ("198.18.0.1", "u", 22)
    assert (made.connect_timeout, made.gateway) == (10, None)


def test_an_agent_that_is_not_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/nowhere/at/all")
    assert _credentials(Settings("u", alone=True))["pkey"] is None
    assert _credentials(Settings("u"))["allow_agent"] is True


def test_keys_that_are_not_there_or_no_files_are_not_offered(tmp_path: Path) -> None:
    key, folder = tmp_path / "key", tmp_path / "folder"
    key.write_text("x")
    folder.mkdir()
    given = Settings("u", identities=(key, folder, tmp_path / "none"))
    assert _credentials(given)["key_filename"] == [str(key)]


def test_the_agent_of_the_settings_is_the_one_that_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/another")
    _credentials(parse("user u\nport 22\nidentityagent /ours\n", jumps=False))
    assert os.environ["SSH_AUTH_SOCK"] == "/ours"


def test_known_hosts_that_are_a_folder_are_told_of_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "known_hosts").mkdir()
    with pytest.raises(OrchestrateError, match="is a directory") as refused:
        host_keys.read(tmp_path / "known_hosts")
    assert refused.value.where == str(tmp_path / "known_hosts")
