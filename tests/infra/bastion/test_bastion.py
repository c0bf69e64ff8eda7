"""People hop through a bastion, and do nothing else on it."""

import pytest

from tests.infra.facts import Host, Node, sshd

COMPILERS = ("cc", "gcc", "g++", "make")


@pytest.fixture(scope="module")
def rules(host: Host, node: Node) -> dict[str, dict[str, str]]:
    """What sshd does with an administrator and with somebody else of the fleet, where there are."""
    kinds = {
        "admin" if user["admin"] else "person": name
        for name, user in sorted(node["users"].items(), reverse=True)
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


def test_people_reach_the_fleets_networks_only(
    host: Host, node: Node, person: dict[str, str]
) -> None:
    rules = host.check_output("nft list table inet orchestrate_reach")
    others = {str(user["uid"]) for user in node["users"].values() if not user["admin"]}
    refusing = [line for line in rules.splitlines() if "reject" in line]
    assert len(refusing) == 2
    assert {uid for uid in others if all(uid in line for line in refusing)} == others
    # The kernel shows networks side by side as one range.
    written = host.check_output("cat /etc/nftables.d/orchestrate-reach.nft")
    assert [one for one in node["networks"] if one not in written] == []


def test_people_get_no_shell(host: Host, node: Node, person: dict[str, str]) -> None:
    assert person["permittty"] == "no"
    name = next(name for name, user in node["users"].items() if not user["admin"])
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
