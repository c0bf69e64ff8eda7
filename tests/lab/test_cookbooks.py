"""The repository's cookbooks on hosts. One is made of the vendor's image, as a bake does it; those
of each role are made of an image of it. They are what their suites ask for, and people can do there
what they should.
"""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrate.chef import node
from orchestrate.verify.verdicts import Verdict
from tests.lab.conftest import LabFolder
from tests.lab.converged import (
    CHEF,
    PLACES,
    Subject,
    converge_all,
    fleet,
    told,
    verify,
    without,
)
from tests.lab.machines import Machine, Site, remove_instances, site, until

pytestmark = pytest.mark.hosts

MODE = "mode '0600'"
LEFT_BEHIND = "nohup sleep 1000 >/dev/null 2>&1 & disown; true"


# What needs more than reading: another's session or place, the packet filter, containerd's socket.
ROOT_ONLY = {
    "test_a_program_that_dies_leaves_no_core",
    "test_a_session_may_open_many_files",
    "test_a_session_that_began_as_an_administrators_gets_no_root_from_its_groups",
    "test_administrators_may_do_all_without_a_password_and_others_nothing",
    "test_who_verifies_reads_everything_and_changes_nothing",
    "test_nobody_else_gets_to_the_metadata_service",
    "test_root_is_answered",
    "test_people_reach_the_ssh_of_the_fleets_networks_only",
    "test_names_of_hosts_can_be_looked_up_for_people",
    "test_people_get_no_shell",
    "test_it_answers",
    "test_its_interface_for_kubernetes_is_ready",
    "test_only_root_speaks_to_the_tunnels",
}


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000070")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def elsewhere(lab: LabFolder) -> Iterator[Machine]:
    """A host of somebody else's on the internet."""
    place = site(lab, "200000000071")
    yield place.launch()
    remove_instances(place)


@pytest.fixture(scope="module")
def base(lab: LabFolder, here: Site) -> Subject:
    """A host of the vendor's image, to be converged as in a bake."""
    baking = node.baking(fleet(lab.files.public_key.read_text().strip()), "base")
    return Subject(here.launch(), "base", baking["orchestrate"])


@pytest.fixture(scope="module")
def first(base: Subject) -> dict[str, Any]:
    """The report of its first converge."""
    return base.converge()


@pytest.fixture(scope="module")
def subjects(
    lab: LabFolder, here: Site, base: Subject, first: dict[str, Any]
) -> dict[str, Subject]:
    """A host of each role that has more than `base`, from an image of the converged host."""
    image = here.ec2.create_image(InstanceId=base.machine.id, Name="base")["ImageId"]
    until(lambda: here.ec2.describe_images(ImageIds=[image])["Images"][0]["State"] == "available")
    until(lambda: base.machine.run("true").code == 0)
    known = fleet(lab.files.public_key.read_text().strip())
    return {role: Subject(here.launch(ImageId=image), role, told(known, role)) for role in PLACES}


@pytest.fixture(scope="module")
def reports(subjects: dict[str, Subject]) -> dict[str, dict[str, Any]]:
    """By role, what the first converge of each did."""
    return converge_all(list(subjects.values()))


@pytest.fixture(scope="module")
def verdicts(
    base: Subject,
    subjects: dict[str, Subject],
    reports: dict[str, dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Verdict]:
    return verify([base, *subjects.values()], tmp_path_factory.mktemp("verify"))


def changed(report: dict[str, Any]) -> list[str]:
    return [one["resource"] for one in report["updated"]]


def test_a_run_that_only_looks_gets_to_the_end_on_a_fresh_host(base: Subject) -> None:
    report = base.converge("--why-run")
    assert report["failed"] is None
    assert "template[/etc/chrony/chrony.conf]" in changed(report)
    assert any(one.startswith("apt_package[") for one in changed(report))
    assert base.machine.run("test -e /usr/bin/htop").code == 1


def test_a_fresh_host_becomes_what_every_host_is(first: dict[str, Any]) -> None:
    assert first["failed"] is None
    assert "template[/etc/ssh/sshd_config.d/00-orchestrate.conf]" in changed(first)


def test_a_second_converge_changes_nothing(
    base: Subject, subjects: dict[str, Subject], reports: dict[str, dict[str, Any]]
) -> None:
    again = converge_all([base, *subjects.values()])
    assert {role: changed(report) for role, report in again.items()} == {
        role: [] for role in ["base", *PLACES]
    }


def test_a_host_of_an_image_has_only_its_own_left_to_do(
    reports: dict[str, dict[str, Any]],
) -> None:
    installed = [one for one in changed(reports["gpu-worker"]) if one.startswith("apt_package[")]
    assert installed == [
        "apt_package[nfs-common]",
        "apt_package[containerd, containernetworking-plugins, runc]",
    ]


@pytest.mark.parametrize("role", ["base", *PLACES])
def test_a_host_is_what_its_role_says(verdicts: dict[str, Verdict], role: str) -> None:
    verdict = verdicts[role]
    assert verdict.unreachable == ""
    assert [f"{one.where}: {one.message}\n{one.commands}" for one in verdict.failures] == []
    assert {one.suite for one in verdict.tests} >= {"base"}


def test_who_only_verifies_finds_the_same_as_root_but_for_what_root_alone_may_ask(
    subjects: dict[str, Subject], verdicts: dict[str, Verdict], tmp_path: Path
) -> None:
    found = verify([subjects[role] for role in ("bastion", "gpu-worker")], tmp_path, login="vera")
    for role, seen in found.items():
        assert seen.unreachable == ""
        assert [f"{one.where}: {one.message}\n{one.commands}" for one in seen.failures] == []
        as_root = {(one.suite, one.name): one.outcome for one in verdicts[role].tests}
        other = [one for one in seen.tests if as_root[one.suite, one.name] != one.outcome]
        assert {one.message for one in other} == {"only root may ask this"}
        assert {one.name.partition("[")[0] for one in other} <= ROOT_ONLY


def test_people_hop_through_a_bastion_and_have_no_shell_there(
    subjects: dict[str, Subject], reports: dict[str, dict[str, Any]]
) -> None:
    bastion, ad_hoc = subjects["bastion"], subjects["ssh-node"]
    refused = bastion.log_in("grace", "true")
    assert refused.code == 1
    assert "forwards connections" in refused.stderr
    assert ad_hoc.log_in("grace", "id -un", door=bastion).stdout.strip() == "grace"


def test_people_hop_through_a_bastion_to_the_fleets_networks_only(
    subjects: dict[str, Subject], reports: dict[str, dict[str, Any]], elsewhere: Machine
) -> None:
    bastion, outside = subjects["bastion"], elsewhere.address
    assert bastion.machine.says(f"timeout 5 bash -c 'read line </dev/tcp/{outside}/22' && echo in")
    refused = bastion.log_in("grace", "true", door=bastion, address=outside)
    assert refused.code == 255
    assert "stdio forwarding failed" in refused.stderr
    # Who gets there is asked for a key that only the fleet's hosts know.
    allowed = bastion.log_in("ada", "true", door=bastion, address=outside)
    assert "Permission denied" in allowed.stderr


def test_a_changed_owner_is_repaired(
    subjects: dict[str, Subject], reports: dict[str, dict[str, Any]]
) -> None:
    host = subjects["bastion"]
    files = {
        "/etc/sudoers.d/50-orchestrate": "file",
        "/etc/ssh/authorized_keys.d/grace": "file",
        "/etc/ssh/sshd_config.d/10-orchestrate-forwarding.conf": "template",
    }
    host.machine.says(f"sudo chown nobody:nogroup {' '.join(files)}")
    fixed = changed(host.converge())
    assert [f"{kind}[{path}]" for path, kind in files.items() if f"{kind}[{path}]" in fixed] == [
        f"{kind}[{path}]" for path, kind in files.items()
    ]
    owners = host.machine.says(f"sudo stat -c %U:%G {' '.join(files)}")
    assert set(owners.splitlines()) == {"root:root"}


def test_a_person_is_at_home_with_a_share_of_the_machine_and_no_more(
    subjects: dict[str, Subject], reports: dict[str, dict[str, Any]]
) -> None:
    ad_hoc = subjects["ssh-node"]
    asked = "stat -c '%U %a' ~; grep -o user-2002.slice /proc/self/cgroup; sudo -n id -u 2>&1"
    home, *share, refused = ad_hoc.log_in("grace", asked).stdout.splitlines()
    assert home == "grace 700"
    assert "user-2002.slice" in share
    assert "password is required" in refused
    assert ad_hoc.log_in("ada", "sudo -n id -u").stdout.strip() == "0"


def test_the_path_of_a_shared_folder_may_have_a_dash_or_a_space(
    subjects: dict[str, Subject], reports: dict[str, dict[str, Any]]
) -> None:
    paths = ["/srv/my-data", "/srv/my data"]
    before = subjects["ssh-node"]
    folders = {path: {"source": "10.64.0.9:/x", "type": "nfs4", "options": ""} for path in paths}
    mounts = {**before.told["mounts"], **folders}
    host = replace(before, told={**before.told, "mounts": mounts})
    host.converge()
    units = r"'srv-my\x2ddata.mount' 'srv-my\x20data.mount'"
    shown = host.machine.says(f"systemctl show --property Where --value {units}")
    assert shown.split("\n\n") == paths
    assert changed(host.converge()) == []
    before.converge()


def test_whoever_left_is_out_with_all_that_runs(
    subjects: dict[str, Subject], reports: dict[str, dict[str, Any]]
) -> None:
    ad_hoc = subjects["ssh-node"]
    assert ad_hoc.log_in("grace", LEFT_BEHIND).code == 0
    assert ad_hoc.machine.says("pgrep -u grace -x sleep")
    after = without(ad_hoc, "grace")
    after.converge()
    assert "Permission denied" in after.log_in("grace", "true").stderr
    assert after.machine.says("ps -eo uid= | grep -cw 2002; getent passwd grace; true") == "0"
    assert changed(after.converge()) == []


def test_a_wrong_mode_in_a_cookbook_is_caught(
    base: Subject, first: dict[str, Any], tmp_path: Path
) -> None:
    chef = tmp_path / "chef"
    shutil.copytree(CHEF, chef)
    recipe = chef / "cookbooks" / "base" / "recipes" / "sshd.rb"
    assert MODE in recipe.read_text()
    recipe.write_text(recipe.read_text().replace(MODE, "mode '0646'"))
    base.converge(chef=chef)
    found = verify([base], tmp_path / "wrong", only="test_ssh")["base"]
    assert [one.name for one in found.failures] == ["test_only_root_can_change_its_settings"]
    base.converge()
    assert verify([base], tmp_path / "right", only="test_ssh")["base"].failures == []
