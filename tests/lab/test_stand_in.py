"""The stand-in changes a real host: packages, accounts, units, mounts, and what is undone again.

The tests go through the life of one host in the order of this file.
"""

from collections.abc import Iterator

import pytest

from tests.lab.chef_host import STATE, ChefHost, folders, trial
from tests.lab.conftest import LabFolder
from tests.lab.machines import remove_instances, site

pytestmark = pytest.mark.hosts

# What a program on the host says once it has been converged.
TRUE_THEN = {
    "getent passwd amelia": "amelia:x:3002:3001:Flies:/srv/amelia:/bin/bash",
    "id -nG amelia": "pilots crew",
    "stat -c '%U:%G %a' /srv/scratch": "amelia:crew 2770",
    "sudo cat /srv/scratch/who /srv/scratch/by": "3002amelia",
    "systemctl is-active trial.service": "active",
    "systemctl is-enabled trial.service": "enabled",
    "systemctl show --property=Environment trial.service": "Environment=A=1 B=2",
    "systemctl is-enabled apt-daily.timer || true": "disabled",
    "findmnt -no FSTYPE,OPTIONS /mnt | tr -s ' ' | cut -d, -f1-2": "tmpfs rw,nosuid",
    "grep ' /mnt ' /etc/fstab": "tmpfs /mnt tmpfs size=1m,nosuid 0 0",
    "cat /proc/sys/net/ipv4/ip_default_ttl": "63",
    "cat /etc/sysctl.d/99-chef-net.ipv4.ip_default_ttl.conf": (
        "# For a trial.\nnet.ipv4.ip_default_ttl = 63"
    ),
    "readlink /etc/localtime": "../usr/share/zoneinfo/Europe/Berlin",
    "hostname; cat /etc/hostname": "trial-1.example\ntrial-1.example",
    "dpkg-query -W -f '${Package} ${db:Status-Status}\n' tree ncal": (
        "ncal installed\ntree installed"
    ),
    "cat /etc/apt/sources.list.d/trial.list": "deb      [trusted=yes] file:/srv/archive ./",
}
GONE_AFTER_UNDO = [
    "getent passwd amelia",
    "getent group crew pilots",
    "test -e /srv/amelia",
    "sudo test -e /srv/scratch",
    "systemctl cat trial.service",
    "findmnt /mnt",
    "grep /mnt /etc/fstab",
    "test -e /etc/apt/sources.list.d/trial.list",
    "command -v tree",
]


@pytest.fixture(scope="module")
def host(lab: LabFolder) -> Iterator[ChefHost]:
    place = site(lab, "640000000001")
    try:
        made = ChefHost(place.launch())
        made.ship("trial", folders())
        yield made
    finally:
        remove_instances(place)


def test_the_host_becomes_what_the_cookbook_says(host: ChefHost) -> None:
    done = host.converge("trial", trial())
    assert done.code == 0, done.stdout
    assert {command: host.machine.says(command) for command in TRUE_THEN} == TRUE_THEN
    assert host.report()["client"] == "stand-in 1 (not Chef)"


def test_s19_a_second_converge_changes_nothing(host: ChefHost) -> None:
    done = host.converge("trial", trial())
    assert done.code == 0, done.stdout
    assert host.updated() == []


def test_a_run_that_only_looks_says_what_it_would_do_and_does_nothing(host: ChefHost) -> None:
    before = host.picture()
    done = host.converge("trial", trial("undo"), "--why-run")
    assert done.code == 0, done.stdout
    assert "would remove user amelia" in done.stdout
    assert "linux_user[amelia] remove" in host.updated()
    assert host.picture() == before


def test_what_the_cookbook_takes_away_is_gone(host: ChefHost) -> None:
    done = host.converge("trial", trial("undo"))
    assert done.code == 0, done.stdout
    there = [command for command in GONE_AFTER_UNDO if host.machine.run(command).code == 0]
    assert there == []
    # As Chef says it: the unit, and the file that goes with it.
    units = [one for one in host.updated() if "trial.service" in one and "delete" in one]
    assert units == [
        "file[/etc/systemd/system/trial.service] delete",
        "systemd_unit[trial.service] delete",
    ]


def test_a_full_disk_is_said_to_be_full_and_the_report_still_fits(host: ChefHost) -> None:
    full = "/srv/full"
    host.machine.says(f"sudo mkdir {full} && sudo mount -t tmpfs -o size=1m tmpfs {full}")
    node = {**trial("full"), "full": full}
    # The report is written to the same disk.
    host.converge("trial", node)
    host.machine.says(f"sudo rm -f {full}/*; sudo cp {STATE}/node.json {full}/")
    state = f"ORCHESTRATE_STAND_IN=1 ORCHESTRATE_STATE={full}"
    done = host.converge("trial", node, client=state)
    assert done.code == 1
    assert "No space left on device" in done.stdout
    assert "No space left on device" in host.machine.says(f"sudo cat {full}/report.json")
