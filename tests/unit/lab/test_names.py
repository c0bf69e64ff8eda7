"""Looking names up, as data; and the DNS messages around it."""

from types import SimpleNamespace

import dns.flags
import dns.message
import dns.rcode
import pytest

from orchestrate.lab.names import Names, Records, Zone, look_up
from orchestrate.lab.resolver import answer
from orchestrate.lab.zones import ec2_private, ec2_public

PRIVATE = Zone(
    "us-west.example.net.",
    {
        ("bastion.us-west.example.net.", "A"): Records(("10.1.0.5",)),
        ("efs.us-west.example.net.", "CNAME"): Records(("fs-1.amazonaws.com",), 300),
        ("bare.us-west.example.net.", "CNAME"): Records(("bastion.us-west.example.net.",)),
        ("loop.us-west.example.net.", "CNAME"): Records(("loop.us-west.example.net.",)),
        ("*.apps.us-west.example.net.", "A"): Records(("10.1.0.6",)),
        ("us-west.example.net.", "TXT"): Records(('"here"',)),
    },
)
PUBLIC = Zone(
    "example.net.",
    {
        ("www.example.net.", "A"): Records(("198.18.0.20",)),
        ("vpn.us-west.example.net.", "A"): Records(("198.18.0.21",)),
        ("bastion.us-west.example.net.", "A"): Records(("198.18.0.22",)),
        **{("many.example.net.", "TXT"): Records(tuple(f'"{n:0>90}"' for n in range(20)))},
    },
)
NAMES = Names([PRIVATE], [PUBLIC])


def values(name: str, kind: str = "A") -> list[str]:
    found = look_up(name, kind, NAMES).records
    return [value for _, _, records in found for value in records.values]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("bastion.us-west.example.net.", ["10.1.0.5"]),
        ("BASTION.us-west.Example.NET.", ["10.1.0.5"]),
        ("bare.us-west.example.net.", ["bastion.us-west.example.net.", "10.1.0.5"]),
        ("a.apps.us-west.example.net.", ["10.1.0.6"]),
        ("b.a.apps.us-west.example.net.", ["10.1.0.6"]),
        ("www.example.net.", ["198.18.0.20"]),
        ("efs.us-west.example.net.", ["fs-1.amazonaws.com"]),
    ],
)
def test_a_name_is_found(name: str, found: list[str]) -> None:
    assert values(name) == found


@pytest.mark.parametrize(
    "name",
    [
        "vpn.us-west.example.net.",  # hidden: the private zone answers alone
        "nobody.example.net.",
        "apps.us-west.example.net.",
        "evilexample.net.",
        "debian.org.",
        ".",
    ],
)
def test_a_name_is_not_found(name: str) -> None:
    assert not look_up(name, "A", NAMES).exists


def test_a_name_without_such_records_exists_all_the_same() -> None:
    found = look_up("bastion.us-west.example.net.", "AAAA", NAMES)
    assert (found.exists, found.records) == (True, ())


def test_aliases_in_a_circle_end() -> None:
    assert len(look_up("loop.us-west.example.net.", "A", NAMES).records) == 8


def instance(number: int, vpc_id: str) -> SimpleNamespace:
    return SimpleNamespace(
        vpc_id=vpc_id,
        private_ip=f"10.1.0.{number}",
        private_dns_name=f"ip-10-1-0-{number}.us-west-2.compute.internal",
        public_ip=f"198.18.0.{number}",
        public_dns_name=f"ec2-198-18-0-{number}.us-west-2.compute.amazonaws.com",
    )


def test_instances_have_names_and_their_addresses_have_them_too() -> None:
    names = Names(ec2_private([instance(11, "vpc-1")]))
    forward = look_up("ip-10-1-0-11.us-west-2.compute.internal.", "A", names)
    reverse = look_up("11.0.1.10.in-addr.arpa.", "PTR", names)
    assert forward.records[0][2].values == ("10.1.0.11",)
    assert reverse.records[0][2].values == ("ip-10-1-0-11.us-west-2.compute.internal.",)


@pytest.mark.parametrize(("vpc_id", "address"), [("vpc-1", "10.1.0.11"), ("vpc-2", "198.18.0.11")])
def test_a_public_name_is_the_private_address_at_home(vpc_id: str, address: str) -> None:
    names = Names(public=[ec2_public([instance(11, "vpc-1")], vpc_id)])
    found = look_up("ec2-198-18-0-11.us-west-2.compute.amazonaws.com.", "A", names)
    assert found.records[0][2].values == (address,)


def ask(name: str, kind: str = "A", **options: int) -> dns.message.Message:
    told = answer(dns.message.make_query(name, kind).to_wire(), NAMES, **options)
    assert told is not None
    return dns.message.from_wire(told)


def test_a_message_is_answered_with_records_and_their_time_to_live() -> None:
    told = ask("efs.us-west.example.net.")
    assert [str(each) for each in told.answer] == [
        "efs.us-west.example.net. 300 IN CNAME fs-1.amazonaws.com."
    ]


def test_an_unknown_name_is_refused_as_such() -> None:
    assert ask("debian.org.").rcode() == dns.rcode.NXDOMAIN
    assert ask("bastion.us-west.example.net.", "AAAA").rcode() == dns.rcode.NOERROR


def test_what_does_not_fit_asks_for_tcp() -> None:
    assert ask("many.example.net.", "TXT").flags & dns.flags.TC
    whole = ask("many.example.net.", "TXT", largest=65535)
    assert not whole.flags & dns.flags.TC
    assert len(whole.answer[0]) == 20


@pytest.mark.parametrize("message", [b"", b"nonsense"])
def test_what_is_no_query_gets_no_answer(message: bytes) -> None:
    assert answer(message, NAMES) is None


def test_an_answer_gets_no_answer() -> None:
    told = answer(dns.message.make_query("www.example.net.", "A").to_wire(), NAMES)
    assert told is not None
    assert answer(told, NAMES) is None
