"""What a fleet's sites are to the lab."""

from ipaddress import IPv4Address, IPv4Network
from typing import Any

from orchestrate.fleet.models import Site
from orchestrate.lab.sites.models import document, site_of
from orchestrate.lab.sites.order import sites

SERVERS = IPv4Network("10.64.0.0/20")
OFFICE = IPv4Network("10.64.16.0/22")
RANGES = {("site-sf", "servers"): SERVERS, ("site-sf", "office"): OFFICE}


def site(**racks: Any) -> Site:
    gateway = {"role": "site-gateway", "lan": "servers", "address": "10.64.0.2"}
    return Site.model_validate(
        {
            "name": "site-sf",
            "lans": {"servers": {"range": str(SERVERS)}, "office": {"prefix": 22}},
            "gateway": {"host": "sf-gw1", "public_address": "203.0.113.7"},
            "login": "installer",
            "racks": {"r1": {"sf-gw1": gateway, **racks}},
        }
    )


def test_the_gateway_has_its_own_address_where_it_has_one() -> None:
    (made,) = sites({"site-sf": site()}, RANGES)

    (lan,) = made.lans
    assert (lan.name, lan.cidr, lan.gateway) == ("servers", SERVERS, IPv4Address("10.64.0.2"))
    assert (made.login, made.public) == ("installer", IPv4Address("203.0.113.7"))


def test_on_another_lan_it_has_the_first_that_no_host_has() -> None:
    printer = {"role": "cpu-worker", "lan": "office", "address": "10.64.16.1"}
    (made,) = sites({"site-sf": site(printer=printer)}, RANGES)

    office = next(lan for lan in made.lans if lan.name == "office")
    assert office.gateway == IPv4Address("10.64.16.2")


def test_a_site_is_the_same_after_a_way_through_json() -> None:
    (made,) = sites({"site-sf": site()}, RANGES)

    assert site_of(document(made)) == made


def test_a_site_without_hosts_is_none_to_the_lab() -> None:
    empty = site().model_copy(update={"racks": {}})

    assert sites({"site-sf": empty}, RANGES) == []
