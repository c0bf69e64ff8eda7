"""What the API says of an instance and does to it, held against its host."""

from collections.abc import Iterator

import pytest

from tests.lab.conftest import LabFolder
from tests.lab.machines import GET, Machine, Site, remove_instances, site, until

pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000020")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def machine(here: Site) -> Machine:
    return here.launch()


def test_status_checks_pass_once_a_host_answers(machine: Machine) -> None:
    until(lambda: machine.status == "ok")


def test_the_console_shows_the_boot_and_whose_key_to_expect(machine: Machine) -> None:
    until(lambda: "END SSH HOST KEY KEYS" in machine.console())
    console = machine.console()
    assert "Reached target" in console
    shown = next(line for line in console.splitlines() if "SHA256:" in line)
    key = machine.says("sudo ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key")
    assert shown.split()[1] == key.split()[1]


def test_a_reboot_by_the_api_keeps_disk_and_address(machine: Machine) -> None:
    machine.says("echo kept > file && sync")
    machine.reboot_and_wait(lambda: machine.ec2.reboot_instances(InstanceIds=[machine.id]))
    assert machine.says("cat file") == "kept"
    assert machine.state == "running"


def test_a_failed_machine_is_impaired_until_it_is_stopped_and_started(
    here: Site, lab: LabFolder
) -> None:
    machine = here.launch()
    assert lab.orchestrate("fault", "add", "fail", machine.id).code == 0
    until(lambda: machine.status == "impaired")
    assert machine.state == "running"
    machine.ec2.stop_instances(InstanceIds=[machine.id])
    assert lab.orchestrate("fault", "clear").code == 0
    machine.ec2.start_instances(InstanceIds=[machine.id])
    until(lambda: machine.status == "ok")


def test_an_interrupted_spot_instance_reads_its_notice(here: Site, lab: LabFolder) -> None:
    spot = here.launch(InstanceMarketOptions={"MarketType": "spot"})
    assert spot.run(f"{GET}/meta-data/spot/instance-action").code != 0
    assert lab.orchestrate("fault", "add", "interrupt", spot.id).code == 0
    until(lambda: spot.run(f"{GET}/meta-data/spot/instance-action").code == 0)
    assert '"terminate"' in spot.metadata("meta-data/spot/instance-action")


def test_only_spot_instances_are_interrupted(machine: Machine, lab: LabFolder) -> None:
    refused = lab.orchestrate("fault", "add", "interrupt", machine.id)
    assert refused.code == 1
    assert "not a spot instance" in refused.stderr


def test_powering_off_inside_stops_the_instance_and_it_starts_again(here: Site) -> None:
    machine = here.launch()
    machine.run("sudo systemctl poweroff")
    until(lambda: machine.state == "stopped")
    reason = machine.ec2.describe_instances(InstanceIds=[machine.id])["Reservations"][0]
    code = reason["Instances"][0]["StateReason"]["Code"]
    assert code == "Client.InstanceInitiatedShutdown"
    machine.ec2.start_instances(InstanceIds=[machine.id])
    until(lambda: machine.run("true").code == 0)


def test_an_instance_launched_so_is_terminated_by_powering_off(here: Site) -> None:
    machine = here.launch(InstanceInitiatedShutdownBehavior="terminate")
    machine.run("sudo systemctl poweroff")
    until(lambda: machine.state == "terminated")
