"""People hop through a bastion, and do nothing else on it."""

from ipaddress import IPv4Network

import pytest

from tests.infra.facts import Host, Node, sshd

COMPILERS = ("cc", "gcc", "g++", "make")


@pytest.fixture(scope="module")
def rules(host: Host, node: Node) -> dict[str, dict[str, str]]:
    """What sshd does with an administrator and with somebody else of the fleet, where there are."""
    kinds = {
        "admin" if user["admin"] else "person": name
        for name, user in sorted(node["users"].items(), reverse=True)
        if not user.get("verifier")
    }
    return {kind: sshd(host, name) for kind, name in kinds.items()}


@pytest.fixture
def person(rules: dict[str, dict[str, str]]) -> dict[str, str]:
    """The rules for somebody who isn't an administrator."""
    if "person" not in rules:
        pytest.skip("all people of this fleet are administrators")
    return rules["person"]


def test_people_may_be_forwarded_to_the_ssh_of_hosts_only(person: dict[str, str]) -> None:
    assert person["allowtcpforwarding"] == "local"
    assert person["permitopen"] == "*:22"


# Of an address and port that may not be reached, with bash's words for it.
TRY = "timeout 5 bash -c 'exec 3<>/dev/tcp/{}/{}' 2>&1"


@pytest.mark.usefixtures("root")
def test_people_reach_the_ssh_of_the_fleets_networks_only(host: Host, node: Node) -> None:
    inside = str(next(IPv4Network(node["networks"][0]).hosts()))
    closed = [("203.0.113.7", 22), ("169.254.169.254", 22), (inside, 443)]
    others = {user["uid"] for user in node["users"].values() if not user["admin"]}
    # One of them is nobody whom the rules could know.
    for uid in (*others, 59999):
        person = f"setpriv --reuid {uid} --clear-groups"
        for address, port in closed:
            tried = host.run(f"{person} {TRY.format(address, port)}")
            assert "Connection refused" in tried.stdout, f"{uid} to {address}:{port}"
        assert host.run(f"{person} {TRY.format('127.0.0.1', 22)}").rc == 0


@pytest.mark.usefixtures("root")
def test_names_of_hosts_can_be_looked_up_for_people(host: Host) -> None:
    rules = host.check_output("nft list chain inet orchestrate_reach person")
    assert "th dport 53 accept" in rules


@pytest.mark.usefixtures("root")
def test_people_get_no_shell(host: Host, node: Node, person: dict[str, str]) -> None:
    assert person["permittty"] == "no"
    name = next(
        name for name, user in node["users"].items() if not (user["admin"] or user.get("verifier"))
    )
    tried = host.run(f"runuser -u {name} -- {person['forcecommand']}")
    assert tried.rc != 0
    assert "forwards connections" in tried.stderr


def test_administrators_keep_their_shell(rules: dict[str, dict[str, str]]) -> None:
    if "admin" not in rules:
        pytest.skip("nobody of this fleet is an administrator")
    assert rules["admin"]["forcecommand"] == "none"
    assert rules["admin"]["permittty"] == "yes"


def test_a_rollout_may_open_fifty_hops_at_once(host: Host) -> None:
    begin, _, _ = sshd(host, "nobody")["maxstartups"].split(":")
    assert int(begin) >= 50


def test_a_forgotten_shell_ends(host: Host) -> None:
    assert host.check_output("bash -lc 'echo $TMOUT'") == "1800"


def test_there_is_no_compiler(host: Host) -> None:
    assert host.run(f"which {' '.join(COMPILERS)}").stdout == ""
