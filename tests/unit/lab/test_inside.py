"""Which host is meant, and with which words it is entered: data in, data out."""

from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab import inside
from orchestrate.lab.faults.models import HostKind
from orchestrate.lab.topology import Slot

ADDRESSES = {"private_ip": "10.1.0.4", "public_ip": ""}
STATUS = {
    "instances": [
        {
            "instance_id": "i-1",
            "name": "bastion",
            "names": ["bastion", "bastion.cluster-us-west"],
            "host": "running",
            **ADDRESSES,
        },
        {
            "instance_id": "i-2",
            "name": "cpu",
            "host": "failed",
            **ADDRESSES,
            "private_ip": "10.1.0.5",
        },
        {
            "instance_id": "i-3",
            "name": "cpu",
            "host": "running",
            **ADDRESSES,
            "private_ip": "10.1.0.6",
        },
        {"instance_id": "i-4", "name": "beyond", "host": "", **ADDRESSES, "private_ip": "10.1.0.7"},
    ],
    "racks": [{"name": "sf-cpu1.site-sf", "private_ip": "192.168.7.9", "host": "running"}],
}


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("i-2", "i-2"),
        ("bastion", "i-1"),
        ("bastion.cluster-us-west", "i-1"),
        ("10.1.0.6", "i-3"),
        ("sf-cpu1.site-sf", "sf-cpu1.site-sf"),
        ("sf-cpu1", "sf-cpu1.site-sf"),
        ("192.168.7.9", "sf-cpu1.site-sf"),
    ],
)
def test_a_host_is_found_by_id_name_and_address(name: str, host: str) -> None:
    assert inside.find_host(STATUS, name) == host


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cpu", "one of i-2, i-3"),
        ("bastoin", "such as bastion"),
        ("beyond", "such as"),
        ("", "such as i-1, i-2, i-3"),
    ],
)
def test_a_name_of_none_or_several_lists_those_there_are(name: str, told: str) -> None:
    with pytest.raises(LabError) as refused:
        inside.find_host(STATUS, name)
    assert told in refused.value.fix


KINDS: list[HostKind] = ["hang", "network", "reboot", "fail"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("sf-cpu1.site-sf", "sf-cpu1.site-sf"),
        ("sf-cpu1", "sf-cpu1.site-sf"),
        ("192.168.7.9", "sf-cpu1.site-sf"),
        ("bastion", "i-1"),
        ("i-4", "i-4"),
    ],
)
def test_a_fault_befalls_instances_and_racks_also_those_yet_to_boot(
    name: str, host: str, kind: HostKind
) -> None:
    assert inside.find_for_fault(STATUS, name, kind) == host


@pytest.mark.parametrize("name", ["sf-cpu1.site-sf", "sf-cpu1"])
def test_a_rack_is_not_interrupted(name: str) -> None:
    with pytest.raises(LabError, match=r"sf-cpu1\.site-sf is a rack"):
        inside.find_for_fault(STATUS, name, "interrupt")


def test_a_misspelt_rack_is_told_with_the_nearest() -> None:
    with pytest.raises(LabError) as refused:
        inside.find_for_fault(STATUS, "sf-cpu9.site-sf", "hang")
    assert "sf-cpu1.site-sf" in refused.value.fix


def test_a_lab_without_hosts_says_so() -> None:
    with pytest.raises(LabError) as refused:
        inside.find_host({"instances": []}, "bastion")
    assert "no host runs" in refused.value.fix


def test_a_network_is_found_by_its_id_and_others_are_listed() -> None:
    there = ["ol3-i-1", "ol3-internet", "ol3-vpc-1", "ol3-vpc-2", "ol4-vpc-9"]
    assert inside.find_vpc(Slot(3), there, "vpc-2") == "ol3-vpc-2"
    with pytest.raises(LabError) as refused:
        inside.find_vpc(Slot(3), there, "vpc-9")
    assert refused.value.fix == "one of vpc-1, vpc-2"


@pytest.mark.parametrize(
    ("numbers", "first"),
    [("4711\t1", True), ("4711", False), ("4711\t33", False), ("4711\t90\t1", False), ("1", False)],
)
def test_a_hosts_first_process_is_one_namespace_below_the_machines(
    tmp_path: Path, numbers: str, first: bool
) -> None:
    status = tmp_path / "status"
    status.write_text(f"Name:\tsystemd\nNSpid:\t{numbers}\nVmSize:\t1 kB\n")
    assert inside.is_init(status) is first


def test_a_process_that_has_ended_is_no_hosts() -> None:
    assert not inside.is_init(Path("/proc/none/status"))


def test_a_host_is_entered_with_a_login_shell_or_the_command_given() -> None:
    assert inside.shell_words(4711, [])[-2:] == ["/bin/bash", "--login"]
    entered = inside.shell_words(4711, ["ip", "address"])
    assert entered[:2] == ["nsenter", "--target=4711"]
    assert entered[-2:] == ["ip", "address"]
    assert "--ignore-environment" in entered, "nobody's credentials go along"


def test_packets_of_every_interface_are_shown_unless_one_is_named() -> None:
    assert inside.capture_words("ol3-vpc-1", ["port", "22"])[4:] == [
        *("tcpdump", "-n", "-i", "any", "port", "22")
    ]
    assert inside.capture_words("ol3-vpc-1", ["-i", "eth0"])[4:] == ["tcpdump", "-n", "-i", "eth0"]
