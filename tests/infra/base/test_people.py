"""Who has an account, which keys let them in, and what they may."""

import shlex

import pytest

from tests.infra.facts import Host, Node

KEYS = "/etc/ssh/authorized_keys.d"
# Debian's and Ubuntu's groups whose members can become root, or read what only root may.
POWERFUL = {"adm", "admin", "disk", "docker", "incus-admin", "kmem", "libvirt", "lxd"}
POWERFUL |= {"shadow", "sudo", "wheel"}
EVERYBODY, ADMINS = ("fleet-users", "1990"), ("fleet-admins", "1991")
VERIFIERS = ("fleet-verifiers", "1992")


LOOK = "/usr/local/sbin/orchestrate-look"
READ = "test -r /etc/shadow && test -r /etc/ssh/ssh_host_ed25519_key && echo read"
# Each would change the host, or lead to one who can.
CHANGES = (
    "touch /etc/orchestrate-was-here",
    "echo >>/etc/passwd",
    "chmod 0777 /etc/shadow",
    "systemctl stop cron.service ssh.service",
    "systemd-run --quiet true",
    "kill -0 1",
    "cat /proc/1/environ",
    "sudo -n true",
    "setpriv --reuid 0 true",
    "mount -t tmpfs none /mnt",
    "nft add table inet orchestrate_was_here",
    "sysctl -q -w kernel.panic=0",
)


@pytest.fixture(scope="module")
def accounts(host: Host) -> dict[str, list[str]]:
    """Fields of `getent passwd` by name: password, uid, gid, comment, home, shell."""
    lines = host.check_output("getent passwd").splitlines()
    return {name: fields for name, *fields in (line.split(":") for line in lines)}


@pytest.fixture(scope="module")
def groups(host: Host) -> dict[str, tuple[str, list[str]]]:
    """Gid and members of every group."""
    lines = (line.split(":") for line in host.check_output("getent group").splitlines())
    return {name: (gid, sorted(filter(None, who.split(",")))) for name, _, gid, who in lines}


@pytest.fixture(scope="module")
def keys(host: Host) -> dict[str, list[str]]:
    """The lines of every file of keys, by the account it is for."""
    shown = host.check_output(f'cd {KEYS} && for name in *; do sed "s|^|$name |" $name; done')
    found: dict[str, list[str]] = {}
    for line in shown.splitlines():
        name, key = line.split(maxsplit=1)
        found.setdefault(name, []).append(key)
    return found


def test_everybody_who_belongs_here_has_an_account_with_the_fleets_number(
    node: Node, accounts: dict[str, list[str]]
) -> None:
    wanted = {name: [str(user["uid"])] * 2 for name, user in node["users"].items()}
    assert {name: accounts.get(name, [])[1:3] for name in wanted} == wanted


def test_everybody_has_a_shell_and_a_home_on_shared_storage_but_for_who_may_more_than_others(
    host: Host, node: Node, accounts: dict[str, list[str]]
) -> None:
    places = {True: "/var/home", False: "/home"}
    more = {name: user["admin"] or "verifier" in user for name, user in node["users"].items()}
    wanted = {name: [f"{places[more[name]]}/{name}", "/bin/bash"] for name in more}
    assert {name: accounts.get(name, [])[4:6] for name in wanted} == wanted
    below = host.check_output("findmnt --noheadings --output FSTYPE --target /var/home")
    assert not below.startswith("nfs")


def test_the_images_login_lives_on_the_local_disk(
    host: Host, node: Node, accounts: dict[str, list[str]]
) -> None:
    login = node["login"]
    if login not in accounts:
        pytest.skip(f"this host has no login {login}")
    home = accounts[login][4]
    assert not home.startswith("/home/")
    assert host.check_output(f"stat -c '%U %A' {home}").startswith(f"{login} d")


def test_whoever_left_has_no_account_no_key_and_no_process(
    host: Host, node: Node, accounts: dict[str, list[str]], keys: dict[str, list[str]]
) -> None:
    gone = set(node["gone_users"])
    assert gone & accounts.keys() == set()
    assert gone & keys.keys() == set()
    assert gone & set(host.check_output("ps -eo user=").split()) == set()


def test_only_the_fleets_keys_let_people_in(node: Node, keys: dict[str, list[str]]) -> None:
    wanted = {name: user["keys"] for name, user in node["users"].items() if user["keys"]}
    assert {name: own for name, own in keys.items() if name != node["login"]} == wanted


def test_nobody_but_root_can_change_keys(host: Host, node: Node) -> None:
    paths = " ".join([KEYS, *(f"{KEYS}/{name}" for name in node["users"])])
    found = host.check_output(f"stat -c '%U:%G %A' {paths}").splitlines()
    assert set(found) <= {"root:root drwxr-xr-x", "root:root -rw-r--r--"}


@pytest.mark.parametrize(
    ("group", "gid", "kind"), [(*EVERYBODY, "uid"), (*ADMINS, "admin"), (*VERIFIERS, "verifier")]
)
def test_groups_hold_those_of_the_fleet_and_nobody_else(
    node: Node, groups: dict[str, tuple[str, list[str]]], group: str, gid: str, kind: str
) -> None:
    members = [name for name, user in node["users"].items() if user.get(kind)]
    assert groups[group] == (gid, sorted(members))


def test_nobody_but_administrators_is_in_a_group_that_leads_to_root(
    node: Node, groups: dict[str, tuple[str, list[str]]]
) -> None:
    others = {name for name, user in node["users"].items() if not user["admin"]}
    assert {name: others & set(groups[name][1]) for name in POWERFUL & groups.keys()} == {
        name: set() for name in POWERFUL & groups.keys()
    }


@pytest.mark.usefixtures("root")
def test_a_session_that_began_as_an_administrators_gets_no_root_from_its_groups(
    host: Host, node: Node
) -> None:
    others = [name for name, user in node["users"].items() if not user["admin"]]
    for name in others:
        session = f"setpriv --reuid {name} --regid {name} --groups {ADMINS[1]}"
        tried = host.run(f"{session} sudo -n id -u")
        assert (tried.rc, tried.stdout) == (1, ""), f"{name} is root by the group {ADMINS[0]}"
    if not others:
        pytest.skip("all people here are administrators")


@pytest.mark.usefixtures("root")
def test_administrators_may_do_all_without_a_password_and_others_nothing(
    host: Host, node: Node
) -> None:
    asked = " ".join(map(shlex.quote, node["users"]))
    shown = host.check_output(
        f"for name in {asked}; do"
        " sudo -l -U $name | grep -q 'NOPASSWD: ALL' && echo $name; done; true"
    )
    assert shown.split() == [name for name, user in node["users"].items() if user["admin"]]


@pytest.mark.usefixtures("root")
def test_who_verifies_reads_everything_and_changes_nothing(host: Host, node: Node) -> None:
    names = [name for name, user in node["users"].items() if user.get("verifier")]
    for name in names:
        become = f"cd / && sudo -n -u {name} sudo -n"
        assert host.run(f"{become} true").rc == 1
        assert host.run(f"{become} {LOOK} -c id").rc == 1
        assert host.run(f"{become} {LOOK} <<'END'\n{READ}\nEND").stdout == "read\n"
        for change in CHANGES:
            tried = host.run(f"{become} {LOOK} <<'END'\n{change}\nEND")
            assert tried.rc != 0, f"{name}: {change}"
    if not names:
        pytest.skip("nobody of this fleet only verifies")


def test_sudo_understands_its_rules_and_only_root_may_change_them(host: Host) -> None:
    checked = host.run("visudo --check")
    assert checked.rc == 0, checked.stdout + checked.stderr
    rules = host.file("/etc/sudoers.d/50-orchestrate")
    assert (rules.user, rules.group, rules.mode) == ("root", "root", 0o440)
