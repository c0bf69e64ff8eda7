"""Which public address is next."""

from ipaddress import IPv4Address, IPv4Network

from orchestrate.lab.gaps.addresses import first_free
from orchestrate.lab.spec import PUBLIC_POOL, ROUTER_ADDRESSES, SLOTS, public_range

NET = IPv4Network("198.18.16.0/28")


def test_the_first_addresses_are_the_routers() -> None:
    assert first_free(NET, []) == IPv4Address("198.18.16.11")


def test_the_lowest_free_one_is_next() -> None:
    assert first_free(NET, ["198.18.16.11", "198.18.16.13"]) == IPv4Address("198.18.16.12")


def test_a_full_range_has_none_and_its_broadcast_address_is_never_given() -> None:
    taken = [f"198.18.16.{last}" for last in range(ROUTER_ADDRESSES + 1, 15)]

    assert first_free(NET, taken) is None


def test_the_ranges_of_all_slots_are_the_pool_and_do_not_overlap() -> None:
    ranges = [public_range(slot) for slot in range(SLOTS)]

    assert sum(net.num_addresses for net in ranges) == PUBLIC_POOL.num_addresses
    assert len({net.network_address for net in ranges}) == SLOTS
    assert all(net.subnet_of(PUBLIC_POOL) for net in ranges)
