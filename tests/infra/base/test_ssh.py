"""Who sshd lets in, and what they may do over it."""

import pytest

from tests.infra.facts import Host, Node, sshd

# Directives that no role changes, as `sshd -T` prints them.
WANTED = {
    "permitrootlogin": "no",
    "pubkeyauthentication": "yes",
    "passwordauthentication": "no",
    "kbdinteractiveauthentication": "no",
    "permitemptypasswords": "no",
    "hostbasedauthentication": "no",
    "permituserenvironment": "no",
    "strictmodes": "yes",
    "allowagentforwarding": "no",
    "allowstreamlocalforwarding": "no",
    "gatewayports": "no",
    "permittunnel": "no",
    "x11forwarding": "no",
    "maxauthtries": "4",
    "usedns": "no",
}
FORWARDING = {"bastion", "site-gateway", "ssh-node"}
# Broken, or with keys too short for today.
WEAK = ("cbc", "arcfour", "3des", "sha1", "md5", "group14", "umac-64")
TRY = (
    "ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR"
    " -o UserKnownHostsFile=/dev/null -o PubkeyAuthentication=no"
)


@pytest.fixture(scope="module")
def stranger(host: Host) -> dict[str, str]:
    """What sshd does with somebody it has no special rules for."""
    return sshd(host, "nobody")


def test_it_is_as_strict_as_the_fleet_wants(stranger: dict[str, str]) -> None:
    assert {directive: stranger[directive] for directive in WANTED} == WANTED


def test_connections_are_forwarded_only_where_that_is_the_hosts_purpose(
    node: Node, stranger: dict[str, str]
) -> None:
    assert stranger["allowtcpforwarding"] == ("local" if node["role"] in FORWARDING else "no")


def test_whoever_converges_hosts_gets_through_them(host: Host, node: Node) -> None:
    assert sshd(host, node["login"])["allowtcpforwarding"] == "local"


@pytest.mark.parametrize("kind", ["ciphers", "macs", "kexalgorithms"])
def test_no_weak_algorithm_is_offered(stranger: dict[str, str], kind: str) -> None:
    offered = stranger[kind].split(",")
    assert [one for one in offered if any(weak in one for weak in WEAK)] == []


def test_only_the_images_login_has_keys_of_its_own(
    host: Host, node: Node, stranger: dict[str, str]
) -> None:
    assert stranger["authorizedkeysfile"] == "/etc/ssh/authorized_keys.d/%u"
    assert sshd(host, node["login"])["authorizedkeysfile"].startswith(".ssh/authorized_keys ")


@pytest.mark.parametrize("who", ["root", "login"])
def test_nobody_is_asked_for_a_password(host: Host, node: Node, who: str) -> None:
    user = node["login"] if who == "login" else who
    tried = host.run(f"{TRY} {user}@127.0.0.1 true")
    assert tried.rc == 255
    assert "Permission denied (publickey)" in tried.stderr


def test_only_root_can_change_its_settings(host: Host) -> None:
    shown = host.check_output("stat -c '%U:%G %A %n' /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*")
    owners_and_modes = [line.split()[:2] for line in shown.splitlines()]
    assert {owner for owner, _ in owners_and_modes} == {"root:root"}
    assert [mode for _, mode in owners_and_modes if "w" in mode[4:]] == []
    assert host.file("/etc/ssh/sshd_config.d/00-orchestrate.conf").mode == 0o600
