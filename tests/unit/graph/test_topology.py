"""What a picture says of a fleet."""

from collections.abc import Mapping
from ipaddress import IPv4Network

from orchestrate.fleet.models import Fleet
from orchestrate.graph.topology import UNKNOWN, topology

Ledger = Mapping[str, IPv4Network]


def test_every_network_has_the_range_of_the_ledger(fleet: Fleet, ledger: Ledger) -> None:
    west = topology(fleet, ledger).clusters[2]
    assert west.vpc == str(ledger["cluster-us-west/vpc"])
    assert [zone.private for zone in west.zones] == [
        str(ledger[f"cluster-us-west/private/us-west-2{letter}"]) for letter in "abc"
    ]
    assert west.doors[1].clients == str(ledger["cluster-us-west/vpn-clients"])


def test_a_range_the_ledger_lacks_is_said_to_be_unallocated(fleet: Fleet) -> None:
    shown = topology(fleet, {})
    assert shown.clusters[0].vpc == shown.clusters[0].zones[0].public == UNKNOWN
    # A LAN's fixed range counts only once the ledger has it: another may hold it.
    assert shown.sites[0].lans == {"office": UNKNOWN, "servers": UNKNOWN}


def test_nat_gateways_stand_where_the_network_says(fleet: Fleet, ledger: Ledger) -> None:
    nat = {one.name: [zone.nat for zone in one.zones] for one in topology(fleet, ledger).clusters}
    assert nat == {
        "cluster-eu-west": [True, False],
        "cluster-us-east": [False, False],
        "cluster-us-west": [True, True, True],
    }


def test_a_cluster_without_vpn_has_one_door(fleet: Fleet, ledger: Ledger) -> None:
    east = topology(fleet, ledger).clusters[1]
    assert [door.name for door in east.doors] == ["bastion"]


def test_every_two_clusters_are_peered_and_every_site_meets_every_cluster(
    fleet: Fleet, ledger: Ledger
) -> None:
    shown = topology(fleet, ledger)
    assert shown.mesh == ("cluster-eu-west", "cluster-us-east", "cluster-us-west")
    assert shown.peerings == 3
    assert [cluster for _, cluster in shown.site_links] == [one.name for one in shown.clusters]


def test_a_part_of_the_fleet_has_only_its_own_links(fleet: Fleet, ledger: Ledger) -> None:
    shown = topology(fleet, ledger, ["cluster-us-west", "site-sf"])
    assert [one.name for one in shown.clusters] == ["cluster-us-west"]
    assert shown.mesh == ()
    assert shown.site_links == (("site-sf", "cluster-us-west"),)


def test_gpus_are_counted_at_their_most(fleet: Fleet, ledger: Ledger) -> None:
    shown = topology(fleet, ledger)
    assert shown.clusters[2].most_gpus == 96 * 8 + 64 * 4
    assert shown.most_gpus == 3 * 96 * 8 + 64 * 4 + 8
