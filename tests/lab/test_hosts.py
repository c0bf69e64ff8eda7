"""Real hosts: booted, reached, stopped, lost and found."""

import os
import shlex
import signal
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab.hosts import missing
from tests.lab.hosts_lab import HostsLab, hosts_lab
from tests.lab.specs import a_spec

pytestmark = pytest.mark.hosts
BOOTED = "systemctl show --property=UserspaceTimestamp"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostsLab]:
    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    with hosts_lab(tmp_path_factory.mktemp("hosts")) as lab:
        yield lab


@pytest.fixture
def lab(prepared: HostsLab) -> Iterator[HostsLab]:
    """A lab with no hosts in it."""
    yield prepared
    prepared.wanted = {
        name: replace(spec, state="terminated") for name, spec in prepared.wanted.items()
    }
    prepared.settle()
    prepared.wanted.clear()


def test_a_host_is_a_machine_one_logs_in_to_at_its_elastic_address(lab: HostsLab) -> None:
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)

    assert lab.state(host) == "running"
    assert lab.says(host, "hostname") == "ip-10-1-0-11"
    assert lab.says(host, "systemctl is-system-running --wait") == "running"
    assert lab.says(host, "sudo -n id -un") == "root"
    assert lab.says(host, "echo $SSH_CLIENT").split()[0] == str(lab.slot.main_address)


def test_an_image_with_another_login_lets_that_one_in_only(lab: HostsLab) -> None:
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key, user="ubuntu")
    lab.want(host)

    assert lab.says(host, "id -un") == "ubuntu"
    assert "Permission denied" in lab.ssh(replace(host, user="admin"), "true").stderr


def test_nobody_gets_in_with_another_key(lab: HostsLab) -> None:
    shell.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(lab.folder / "other")])
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)

    denied = lab.ssh(host, "true", key=lab.folder / "other")

    assert denied.code == 255
    assert "Permission denied (publickey)" in denied.stderr


def test_a_private_host_is_reached_through_the_bastion_and_not_otherwise(lab: HostsLab) -> None:
    bastion = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    private = a_spec(2, public_key=lab.public_key)
    lab.want(bastion, private)

    assert lab.says(private, "hostname", through=bastion) == "ip-10-1-0-12"
    assert lab.says(private, "echo $SSH_CLIENT", through=bastion).split()[0] == "10.1.0.11"
    assert lab.ssh(private, f"ping -c1 -W1 {lab.slot.main_address}", through=bastion).code == 1


def test_stop_keeps_the_disk_and_the_hosts_identity(lab: HostsLab) -> None:
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)
    identity = "hostname; cat /etc/machine-id; sudo ssh-keygen -yf /etc/ssh/ssh_host_ed25519_key"
    before = lab.says(host, f"echo kept > file; {identity}")

    lab.want(replace(host, state="stopped"))
    assert lab.state(host) == "stopped"
    assert lab.ssh(host, "true").code == 255
    lab.want(host)

    assert lab.says(host, "cat file") == "kept"
    assert lab.says(host, identity) == before


def test_stop_is_an_orderly_power_off(lab: HostsLab) -> None:
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)
    lab.want(replace(host, state="stopped"))

    console = (lab.folder / "hosts" / host.instance_id / "console.log").read_text()

    assert "Stopped" in console
    assert "Halting system" in console


def test_terminate_leaves_nothing_of_a_host(lab: HostsLab) -> None:
    stays, goes = a_spec(1), a_spec(2)
    lab.want(stays)
    before = lab.traces()

    lab.want(goes)
    assert lab.traces() != before
    lab.want(replace(goes, state="terminated"))

    assert lab.traces() == before
    assert [path.name for path in (lab.folder / "hosts").iterdir()] == [stays.instance_id]


def test_the_last_host_takes_its_vpc_along(lab: HostsLab) -> None:
    host = a_spec(1)
    lab.want(host)
    lab.want(replace(host, state="terminated"))

    assert [trace for trace in lab.traces() if "vpc" in trace] == []


def test_five_hosts_boot_at_once_and_know_each_other(lab: HostsLab) -> None:
    bastion = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    others = [a_spec(number, public_key=lab.public_key) for number in range(2, 6)]
    lab.want(bastion, *others)

    assert {lab.state(spec) for spec in (bastion, *others)} == {"running"}
    for other in others:
        assert lab.says(other, "hostname", through=bastion) == other.hostname


def test_an_elastic_address_moves_from_host_to_host(lab: HostsLab) -> None:
    first = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    second = a_spec(2, public_key=lab.public_key)
    lab.want(first, second)
    assert lab.says(first, "hostname") == first.hostname

    lab.want(replace(first, public_ip=None), replace(second, public_ip=lab.public(1)))

    assert lab.says(replace(second, public_ip=lab.public(1)), "hostname") == second.hostname


def test_vpcs_with_the_same_range_are_apart_but_for_public_addresses(lab: HostsLab) -> None:
    here = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    there = a_spec(
        2,
        vpc_id="vpc-00000000000000002",
        public_ip=lab.public(2),
        public_key=lab.public_key,
    )
    lab.want(here, there)

    assert lab.says(here, f"ping -c1 -W2 {there.public_ip}")
    assert lab.ssh(here, f"ping -c1 -W1 {there.private_ip}").code == 1


def test_a_host_calling_a_neighbours_public_address_comes_from_its_own(lab: HostsLab) -> None:
    caller = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    called = a_spec(2, public_ip=lab.public(2), public_key=lab.public_key)
    lab.want(caller, called)

    at_its_public_address = replace(called, private_ip=lab.public(2))
    client = lab.says(at_its_public_address, "echo $SSH_CLIENT", through=caller)

    assert client.split()[0] == str(caller.public_ip)


def test_a_host_that_cannot_be_had_fails_alone_and_says_why(lab: HostsLab) -> None:
    good = a_spec(1)
    bad = a_spec(2, private_ip=IPv4Address("10.9.9.9"))  # outside its subnet
    lab.want(good, bad)

    assert lab.state(good) == "running"
    # It is tried again and again, and is "starting" in between.
    lab.until(lambda: lab.state(bad) == "failed")
    assert "boot" in lab.hosts.states()[bad.instance_id].detail


def test_a_host_whose_power_is_cut_is_booted_again_with_its_disk(lab: HostsLab) -> None:
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)
    before = lab.says(host, f"echo kept > file && sync && {BOOTED}")

    os.kill(_nspawn(lab, host.instance_id), signal.SIGKILL)
    lab.until(lambda: lab.state(host) != "running")
    lab.until(lambda: lab.state(host) == "running")

    assert lab.says(host, "cat file") == "kept"
    assert lab.says(host, BOOTED) != before


def test_a_reboot_from_inside_comes_back(lab: HostsLab) -> None:
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)
    before = lab.says(host, BOOTED)

    lab.ssh(host, "sudo systemctl reboot")

    lab.until(lambda: lab.ssh(host, BOOTED).stdout.strip() not in ("", before))
    assert lab.state(host) == "running"


def test_a_host_has_what_containers_and_tunnels_need(lab: HostsLab) -> None:
    needed = {
        "overlay": "mkdir -p l u w m && mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w m",
        "tunnel": "test -c /dev/net/tun && ip tuntap add dev vpn0 mode tun",
        "bridge": "ip link add cni0 type bridge && nft add table inet kube",
        "forwarding": "sysctl -qw net.ipv4.ip_forward=1",
        "groups": "for group in /sys/fs/cgroup /sys/fs/cgroup/memory /sys/fs/cgroup/pids; do"
        " test ! -e $group/cgroup.procs || mkdir $group/pod; done",
        "shared mounts": "findmnt -no PROPAGATION / | grep -q shared",
        "keyring": "python3 -c 'import ctypes; assert ctypes.CDLL(None).syscall(250, 1, None) > 0'",
    }
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)

    done = {
        what: lab.ssh(host, f"cd /var/lib/containerd && sudo sh -ec {shlex.quote(command)}")
        for what, command in needed.items()
    }

    assert {what: result.stderr for what, result in done.items() if result.code} == {}


def test_the_main_namespace_has_one_link_and_routes_to_the_slot_only(lab: HostsLab) -> None:
    host = a_spec(1, public_ip=lab.public(1), public_key=lab.public_key)
    lab.want(host)

    addresses = shell.run(["ip", "-oneline", "address"]).stdout.splitlines()
    routes = shell.run(["ip", "route"]).stdout.splitlines()

    mine = [line.split() for line in addresses if lab.slot.prefix in line]
    assert [words[3] for words in mine] == [str(lab.slot.main_address)]
    targets = [line.split()[0] for line in routes if lab.slot.prefix in line]
    assert sorted(targets) == [str(lab.slot.public), str(lab.slot.internet_address)]


def _nspawn(lab: HostsLab, instance_id: str) -> int:
    """The pid of a host's nspawn, found by the whole name only it has on its command line."""
    name = f"--machine={lab.slot.namespace(instance_id)}"
    found = [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if name in path.read_text().split("\0")
    ]
    assert len(found) == 1
    return found[0]
