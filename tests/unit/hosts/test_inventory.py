"""Which hosts there are, what they are called, and which of them a word names."""

from collections.abc import Callable

import pytest

from orchestrate.aws.groups import Group, Member, Template
from orchestrate.aws.instances import Instance
from orchestrate.errors import OrchestrateError
from orchestrate.fleet.models import Fleet
from orchestrate.hosts.inventory import Host, hosts, left_undone, missing, one, select

Make = Callable[..., Instance]


@pytest.fixture
def known(fleet: Fleet, instance: Make, bastion: Instance) -> list[Host]:
    return hosts(
        fleet,
        [
            instance("i-000000000009f1a2b"),
            instance("i-00000000000abcdef"),
            bastion,
            instance("i-0000000000000fb01", role="vpn", group="", public="198.18.0.11"),
        ],
    )


def by_name(found: list[Host]) -> dict[str, Host]:
    return {host.name: host for host in found}


def test_hosts_are_named_after_what_they_are_and_where(known: list[Host]) -> None:
    assert [host.name for host in known] == [
        "bastion.cluster-us-west",
        "cpu-9f1a2b.cluster-us-west",
        "cpu-abcdef.cluster-us-west",
        "vpn.cluster-us-west",
        "sf-gpu1.site-sf",
        "sf-gw1.site-sf",
    ]


def test_a_private_host_is_reached_through_its_cluster_s_bastion(known: list[Host]) -> None:
    host = by_name(known)["cpu-9f1a2b.cluster-us-west"]
    assert host.via == "bastion.cluster-us-west"
    assert host.address == host.private_ip
    door = by_name(known)["bastion.cluster-us-west"]
    assert (door.via, door.address) == (None, "198.18.0.10")


def test_a_vpn_endpoint_is_reached_through_the_bastion_though_it_has_a_public_address(
    known: list[Host],
) -> None:
    host = by_name(known)["vpn.cluster-us-west"]
    assert host.public_ip == "198.18.0.11"
    assert (host.via, host.address) == ("bastion.cluster-us-west", host.private_ip)


def test_without_a_running_bastion_a_private_host_has_no_way_in(
    fleet: Fleet, instance: Make
) -> None:
    stopped = instance("i-0000000000000ba01", role="bastion", group="", state="stopped")
    found = by_name(hosts(fleet, [stopped, instance("i-000000000009f1a2b")]))
    assert found["cpu-9f1a2b.cluster-us-west"].via is None
    assert found["bastion.cluster-us-west"].via is None


def test_the_login_is_that_of_the_image_the_fleet_names(known: list[Host]) -> None:
    found = by_name(known)
    assert found["cpu-9f1a2b.cluster-us-west"].user == "ubuntu"
    assert found["bastion.cluster-us-west"].user == "admin"
    assert found["vpn.cluster-us-west"].user == "admin"


def test_a_host_of_a_group_or_cluster_the_fleet_no_longer_has_is_still_listed(
    fleet: Fleet, instance: Make
) -> None:
    found = hosts(
        fleet,
        [instance("i-000000000009f1a2b", group="old"), instance("i-01", cluster="cluster-gone")],
    )
    assert [(host.name, host.user) for host in found if host.instance_id] == [
        ("cpu-01.cluster-gone", ""),
        ("old-9f1a2b.cluster-us-west", ""),
    ]


def test_racks_are_hosts_as_the_fleet_says(known: list[Host]) -> None:
    host = by_name(known)["sf-gpu1.site-sf"]
    assert (host.role, host.group, host.private_ip, host.up) == (
        "gpu-worker",
        "r1",
        "10.64.2.1",
        True,
    )
    gateway = by_name(known)["sf-gw1.site-sf"]
    assert (gateway.address, gateway.via, gateway.user) == ("198.18.255.1", None, "admin")
    assert (host.address, host.via, host.user) == ("10.64.2.1", "sf-gw1.site-sf", "admin")


def test_a_target_that_has_a_site_s_gateway_elsewhere_says_where(fleet: Fleet) -> None:
    moved = by_name(hosts(fleet, [], moved={"198.18.255.1": "198.18.15.254"}))
    assert moved["sf-gw1.site-sf"].address == "198.18.15.254"
    assert moved["sf-gpu1.site-sf"].up


def test_a_target_without_a_site_has_none_of_its_racks(fleet: Fleet) -> None:
    racks = hosts(fleet, [], moved={})
    assert [(host.state, host.up) for host in racks] == [("absent", False)] * 2


def test_of_two_hosts_of_one_name_the_older_keeps_it(fleet: Fleet, instance: Make) -> None:
    younger = instance("i-1111111111abcdef", minutes=5)
    older = instance("i-2222222222abcdef")
    found = {host.instance_id: host.name for host in hosts(fleet, [younger, older])}
    assert found[older.id] == "cpu-abcdef.cluster-us-west"
    assert found[younger.id] == "cpu-1111111111abcdef.cluster-us-west"


def test_a_second_bastion_gets_a_name_of_its_own(
    fleet: Fleet, instance: Make, bastion: Instance
) -> None:
    second = instance("i-00000000000cafe02", role="bastion", group="", minutes=1)
    names = {host.instance_id: host.name for host in hosts(fleet, [second, bastion])}
    assert names[bastion.id] == "bastion.cluster-us-west"
    assert names[second.id] == "bastion-00000000000cafe02.cluster-us-west"


def test_an_instance_without_our_tags_is_no_host(fleet: Fleet, instance: Make) -> None:
    stranger = instance("i-01", role="")
    assert [host for host in hosts(fleet, [stranger]) if host.instance_id] == []


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], 6),
        (["cpu-9f1a2b.cluster-us-west"], 1),
        (["i-000000000009f1a2b"], 1),
        (["cpu-*"], 2),
        (["*.cluster-us-west"], 4),
        (["cluster-us-west"], 4),
        (["site-sf"], 2),
        (["gpu-worker"], 1),
        (["cpu"], 2),
        (["cpu.cluster-us-west"], 2),
        (["r1"], 2),
        (["cpu", "bastion", "cluster-us-west"], 4),
    ],
)
def test_words_name_hosts_by_name_pattern_id_place_role_and_group(
    known: list[Host], words: list[str], names: int
) -> None:
    assert len(select(known, words)) == names


@pytest.mark.parametrize(
    ("words", "left_out", "undone"),
    [
        (["cpu"], ["cpu-9f1a2b.cluster-us-west"], []),
        (["cpu"], ["cpu-9f1a2b.cluster-us-west", "cpu-abcdef.cluster-us-west"], ["cpu"]),
        (["cpu-9*", "cpu"], ["cpu-9f1a2b.cluster-us-west"], ["cpu-9*"]),
        (["cluster-us-west", "bastion"], ["bastion.cluster-us-west"], ["bastion"]),
        (["cpu"], [], []),
        ([], ["bastion.cluster-us-west"], []),
    ],
)
def test_a_word_is_undone_where_all_its_hosts_were_left_out(
    known: list[Host], words: list[str], left_out: list[str], undone: list[str]
) -> None:
    assert left_undone(known, words, left_out) == undone


def test_without_words_all_hosts_were_meant(known: list[Host]) -> None:
    assert left_undone(known, [], [host.name for host in known]) == ["*"]
    assert left_undone([], [], []) == []


def test_every_word_that_names_nothing_is_reported_with_the_nearest(known: list[Host]) -> None:
    with pytest.raises(OrchestrateError) as error:
        select(known, ["cluster-us-wset", "bastoin.cluster-us-west", "bastion"])
    assert "'cluster-us-wset'; did you mean cluster-us-west" in error.value.what
    assert "did you mean bastion.cluster-us-west" in error.value.what
    assert len(error.value.what.splitlines()) == 2


def test_a_word_near_nothing_lists_the_places(known: list[Host]) -> None:
    with pytest.raises(OrchestrateError, match="hosts are in: cluster-us-west, site-sf"):
        select(known, ["zzzzzz"])


def test_one_host_is_meant_by_its_name_id_or_lone_group(known: list[Host]) -> None:
    assert one(known, "bastion").name == "bastion.cluster-us-west"
    assert one(known, "i-000000000009f1a2b").name == "cpu-9f1a2b.cluster-us-west"
    with pytest.raises(OrchestrateError, match=r"'cpu' is 2 hosts\n.*cpu-9f1a2b.cluster-us-west"):
        one(known, "cpu")


def test_what_a_group_still_has_to_launch_counts_as_missing(known: list[Host]) -> None:
    def group(name: str, desired: int, *instances: str) -> Group:
        members = tuple(Member(id_) for id_ in instances)
        return Group(name, "us-west-2", 0, 9, desired, members, {})

    groups = [
        group("full", 1, "i-000000000009f1a2b"),
        group("short", 3, "i-00000000000abcdef"),
        group("empty", 0),
    ]
    assert missing(known, groups) == {"short": 2}


def test_a_host_says_where_it_stands_in_its_group(fleet: Fleet, instance: Make) -> None:
    going, staying = (
        Member("i-0000000000009f1a2b", "Terminating:Wait"),
        Member("i-00000000000abcdef"),
    )
    group = Group("cpu", "us-west-2", 0, 9, 2, (going, staying), {})
    found = hosts(fleet, [instance(member.id) for member in group.members], [group])
    cloud = {host.instance_id: host for host in found if host.instance_id}
    assert (cloud[going.id].leaving, cloud[going.id].lifecycle) == (True, "Terminating:Wait")
    assert (cloud[staying.id].leaving, cloud[staying.id].lifecycle) == (False, "InService")


@pytest.mark.parametrize(
    ("was", "now", "behind"),
    [
        (Template("lt-1", "3"), Template("lt-1", "4"), "version 3, now 4"),
        (Template("lt-1", "4"), Template("lt-1", "4"), ""),
        (Template("lt-0", "4"), Template("lt-1", "4"), "another template"),
        (Template("lt-1", "4"), Template("lt-1", "$Latest"), ""),
        (None, Template("lt-1", "4"), ""),
        (Template("lt-1", "4"), None, ""),
    ],
    ids=["older", "same", "replaced", "not said", "gone", "none"],
)
def test_a_host_of_an_older_launch_template_says_so(
    fleet: Fleet, instance: Make, was: Template | None, now: Template | None, behind: str
) -> None:
    worker = instance("i-000000000009f1a2b")
    group = Group("g", "us-west-2", 0, 9, 1, (Member(worker.id, template=was),), worker.tags, now)
    host = by_name(hosts(fleet, [worker], [group]))["cpu-9f1a2b.cluster-us-west"]
    assert host.behind == behind
