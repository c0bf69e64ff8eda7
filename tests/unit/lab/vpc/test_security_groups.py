"""Security groups as rules of the router's firewall."""

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network

import pytest

from orchestrate.lab.vpc.models import EVERY_PROTOCOL, Rule, SecurityGroup
from orchestrate.lab.vpc.security_groups import allowing, firewall, members
from tests.hostile import HOSTILE, MARK
from tests.lab.specs import a_spec

OFFICE = IPv4Network("203.0.113.0/24")
ANYBODY = IPv4Network("0.0.0.0/0")
BASTION = replace(a_spec(1), security_groups=("sg-bastion",))
NODE = replace(a_spec(2), security_groups=("sg-node", "sg-ssh"))
SSH = SecurityGroup("sg-ssh", inbound=(Rule("tcp", 22, 22, "sg-bastion"),))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule(EVERY_PROTOCOL, None, None, ANYBODY), "ip saddr 0.0.0.0/0 accept"),
        (Rule("tcp", 22, 22, OFFICE), "ip saddr 203.0.113.0/24 tcp dport 22-22 accept"),
        (Rule("udp", 0, 65535, OFFICE), "ip saddr 203.0.113.0/24 udp dport 0-65535 accept"),
        (Rule("tcp", -1, -1, OFFICE), "ip saddr 203.0.113.0/24 ip protocol tcp accept"),
        (Rule("icmp", -1, -1, OFFICE), "ip saddr 203.0.113.0/24 ip protocol icmp accept"),
        (Rule("icmp", 8, -1, OFFICE), "ip saddr 203.0.113.0/24 icmp type 8 accept"),
        (Rule("icmp", 3, 4, OFFICE), "ip saddr 203.0.113.0/24 icmp type 3 icmp code 4 accept"),
        (Rule("50", None, None, OFFICE), "ip saddr 203.0.113.0/24 ip protocol 50 accept"),
        (Rule("tcp", 22, 22, "sg-bastion"), "ip saddr @sg-bastion-members tcp dport 22-22 accept"),
    ],
)
def test_a_rule_allows_protocol_ports_and_peer(rule: Rule, text: str) -> None:
    assert allowing(rule, "saddr") == text


def test_members_are_the_running_hosts_of_a_group() -> None:
    stopped = replace(a_spec(3), security_groups=("sg-node",), state="stopped")

    assert members([BASTION, NODE, stopped]) == {
        "sg-bastion": {IPv4Address("10.1.0.11")},
        "sg-node": {IPv4Address("10.1.0.12")},
        "sg-ssh": {IPv4Address("10.1.0.12")},
    }


def test_a_group_named_by_a_rule_is_the_set_of_its_members_addresses() -> None:
    text = firewall([NODE], [SSH], members([BASTION, NODE]))

    assert _block(text, "set sg-bastion-members") == [
        "type ipv4_addr;",
        "elements = { 10.1.0.11 }",
    ]
    assert _block(text, "chain sg-ssh-in") == [
        "ip saddr @sg-bastion-members tcp dport 22-22 accept"
    ]


def test_a_named_group_that_is_gone_has_no_members() -> None:
    assert _block(firewall([NODE], [SSH], {}), "set sg-bastion-members") == ["type ipv4_addr;"]


def test_a_host_is_asked_by_each_of_its_groups_and_by_no_other() -> None:
    node, other = SecurityGroup("sg-node"), SecurityGroup("sg-other")
    text = firewall([NODE], [SSH, node, other], {})

    assert _block(text, "set sg-ssh-ports")[1] == 'elements = { "i-000000000002" }'
    assert _block(text, "set sg-node-ports")[1] == 'elements = { "i-000000000002" }'
    assert "sg-other" not in text


@pytest.mark.parametrize("chain", ["leave", "enter"])
def test_what_no_group_allows_is_dropped_even_of_hosts_that_are_not_known_yet(chain: str) -> None:
    assert _block(firewall([], [], {}), f"chain {chain}")[-1].endswith('ifname "i-*" drop')


def test_only_who_is_checked_must_send_with_its_own_address() -> None:
    router = replace(a_spec(3), source_dest_check=False)

    own = _block(firewall([NODE, router], [], {}), "set own_addresses")

    assert own[1] == 'elements = { "i-000000000002" . 10.1.0.12 }'


def _block(text: str, head: str) -> list[str]:
    """The lines between `HEAD {` and its brace."""
    inside = text.split(f"  {head} {{\n")[1].split("\n  }\n", maxsplit=1)[0]
    return [line.strip() for line in inside.splitlines()]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_a_caller_of_the_api_says_is_no_rule_of_its_own(text: str) -> None:
    odd = SecurityGroup(
        "sg-ssh", (Rule(text, 22, 22, ANYBODY), Rule("tcp", 22, 22, text), Rule(text, 1, 1, text))
    )
    node = replace(NODE, security_groups=("sg-ssh",))
    inside = _block(firewall([node], [odd], {}), "chain sg-ssh-in")
    numbers = ["ip saddr 0.0.0.0/0 ip protocol 10"] if text == "10" else []
    assert [line.removesuffix(" accept") for line in inside if line[0] != "#"] == numbers
    written = firewall([node], [odd], {})
    assert MARK not in written
    assert written.count("{") == written.count("}")
    assert written.count("table ip firewall") == 3
