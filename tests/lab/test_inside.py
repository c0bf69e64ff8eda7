"""Looking into the lab from the machine it runs on."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.lab.conftest import LabFolder
from tests.lab.machines import Machine, Site, remove_instances, site, until

pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000090")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def machine(here: Site) -> Machine:
    return here.launch()


def test_a_host_is_entered_as_root_and_the_commands_code_is_passed_on(
    lab: LabFolder, machine: Machine
) -> None:
    done = lab.orchestrate("shell", machine.id, "--", "sh", "-c", "id -un; hostname; exit 3")
    assert done.code == 3
    assert done.stdout.split() == ["root", machine.says("hostname")]


def test_a_host_without_a_network_and_without_sshd_is_entered(
    lab: LabFolder, machine: Machine
) -> None:
    address = machine.instance["PrivateIpAddress"]
    # A link that goes down takes its routes along.
    broken = "ip route save >/run/routes && systemctl stop ssh && ip link set host0 down"
    link = lab.orchestrate("shell", address, "ls", "/sys/class/net").stdout.split()
    name = next(one for one in link if one != "lo")

    lab.orchestrate("shell", address, "sh", "-c", broken.replace("host0", name))
    assert machine.run("true").code != 0
    mended = f"ip link set {name} up; ip route restore </run/routes; systemctl start ssh"
    assert lab.orchestrate("shell", address, "sh", "-c", mended).code == 0
    until(lambda: machine.run("true").code == 0)


def test_a_wrong_name_says_which_hosts_there_are(lab: LabFolder, machine: Machine) -> None:
    refused = lab.orchestrate("shell", machine.id[:-1])
    assert refused.code == 1
    assert machine.id in refused.stderr


@pytest.mark.parametrize("whose", ["host", "vpc"])
def test_packets_are_captured_at_a_host_and_at_its_networks_router(
    lab: LabFolder, machine: Machine, whose: str
) -> None:
    if not shutil.which("tcpdump"):
        pytest.skip("tcpdump is not installed")
    where = [machine.id] if whose == "host" else ["--vpc", machine.instance["VpcId"]]
    filters = ["-c", "1", "tcp", "and", "dst", "port", "22"]
    with ThreadPoolExecutor(1) as beside:
        captured = beside.submit(lab.orchestrate, "capture", *where, "--", *filters)
        until(lambda: machine.run("true").code == 0 and captured.done())
    # The router sees a packet before it translates its address, the host afterwards.
    address = machine.instance["PrivateIpAddress"] if whose == "host" else machine.address
    assert f"{address}.22: Flags" in captured.result().stdout
