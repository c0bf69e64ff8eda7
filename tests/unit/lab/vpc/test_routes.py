"""A subnet's routes as its router's routing table."""

from ipaddress import IPv4Address, IPv4Network

import pytest

from orchestrate.lab.vpc import routes
from orchestrate.lab.vpc.models import Route, Subnet, Target
from orchestrate.lab.vpc.routes import UNKNOWN, Reach

SUBNET = "subnet-0000000000000002a"
TABLE = 0x10000000 + 0x2A
LOCAL = IPv4Network("10.1.0.0/16")
EVERYWHERE = IPv4Network("0.0.0.0/0")
REACH = Reach(
    nat_gateways={"nat-0b": IPv4Address("10.1.0.4")},
    instances={"i-0a": IPv4Address("10.1.0.11")},
    peerings={"pcx-0c"},
)


@pytest.mark.parametrize(
    ("target", "via", "way"),
    [
        ("local", "", "throw"),
        ("internet", "", "via 169.254.0.1 dev internet onlink"),
        ("nat", "nat-0b", "via 10.1.0.4 dev n-0b onlink"),
        ("nat", "nat-0d", "unreachable"),
        ("instance", "i-0a", "via 10.1.0.11 dev i-0a onlink"),
        ("instance", "i-0d", "unreachable"),
        ("peering", "pcx-0c", "via 169.254.0.3 dev p-0c onlink"),
        ("peering", "pcx-0d", "unreachable"),
        ("nothing", "", "unreachable"),
    ],
)
def test_a_route_leads_to_its_target_or_is_a_black_hole(target: Target, via: str, way: str) -> None:
    assert routes.way(Route(EVERYWHERE, target, via), REACH) == way


def test_every_subnet_has_a_table_of_its_own() -> None:
    to = (Route(LOCAL, "local"), Route(EVERYWHERE, "internet"))
    subnets = [Subnet(SUBNET, IPv4Network("10.1.0.0/24"), to)]

    assert routes.routes(subnets, REACH) == {
        (TABLE, LOCAL): "throw",
        (TABLE, EVERYWHERE): "via 169.254.0.1 dev internet onlink",
    }
    assert routes.port_rule("i-0a", SUBNET) == f"rule add iif i-0a lookup {TABLE} priority 1000"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({LOCAL: "throw"}, {LOCAL: "throw"}, []),
        ({}, {LOCAL: "throw"}, [f"route replace throw 10.1.0.0/16 table {TABLE}"]),
        ({LOCAL: "throw"}, {}, [f"route flush exact 10.1.0.0/16 table {TABLE}"]),
        (
            {LOCAL: "throw", EVERYWHERE: "via 1.2.3.4 dev internet onlink"},
            {LOCAL: "throw", EVERYWHERE: "unreachable"},
            [f"route replace unreachable 0.0.0.0/0 table {TABLE}"],
        ),
        (
            {EVERYWHERE: UNKNOWN},
            {EVERYWHERE: "via 1.2.3.4 dev n-0b onlink"},
            [f"route replace unicast 0.0.0.0/0 via 1.2.3.4 dev n-0b onlink table {TABLE}"],
        ),
        ({EVERYWHERE: UNKNOWN}, {}, [f"route flush exact 0.0.0.0/0 table {TABLE}"]),
    ],
    ids=["unchanged", "new", "gone", "leads elsewhere", "perhaps lost", "perhaps left"],
)
def test_only_routes_that_changed_are_told(
    before: dict[IPv4Network, str], after: dict[IPv4Network, str], lines: list[str]
) -> None:
    def in_table(ways: dict[IPv4Network, str]) -> routes.Routes:
        return {(TABLE, to): how for to, how in ways.items()}

    assert routes.changes(in_table(before), in_table(after)) == lines
