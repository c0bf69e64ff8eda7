"""Attacks of people with a login on one real host: each got further before its rule was written."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from orchestrate.chef import node
from tests.lab.conftest import LabFolder
from tests.lab.converged import Subject, fleet, verify
from tests.lab.machines import Site, remove_instances, site

pytestmark = pytest.mark.hosts

ASK = "curl -s -m 5 -o /dev/null -w '%{http_code}' http://169.254.169.254/latest/meta-data/; true"
ACCOUNTS = "getent passwd | sort; getent group | sort; sudo ls -l /etc/sudoers.d"


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000072")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def told(lab: LabFolder) -> dict[str, Any]:
    """A host with ada, an administrator, and grace and eve, who aren't."""
    baking = node.baking(fleet(lab.files.public_key.read_text().strip()), "ssh-node")
    found: dict[str, Any] = baking["orchestrate"]
    eve = {**found["users"]["grace"], "uid": 2006}
    return {**found, "role": "base", "users": {**found["users"], "eve": eve}}


@pytest.fixture(scope="module")
def host(here: Site, told: dict[str, Any]) -> Subject:
    """Converged once; it has two groups that the fleet knows nothing of."""
    made = Subject(here.launch(), "base", told)
    made.machine.says("sudo groupadd --system docker && sudo groupadd -g 3000 vision")
    made.converge()
    return made


def but(subject: Subject, **changed: Any) -> Subject:
    """The host with other users; None for one who is deleted from the fleet."""
    users = {**subject.told["users"], **changed}
    left = {name: user for name, user in users.items() if user is not None}
    return replace(subject, told={**subject.told, "users": left})


@pytest.mark.parametrize("name", ["fleet-admins", "fleet-users", "docker", "vision", "sshd"])
def test_a_login_called_like_a_group_or_an_account_is_refused_and_changes_nothing(
    host: Subject, name: str
) -> None:
    before = host.machine.says(ACCOUNTS)
    mallory = {**host.told["users"]["grace"], "uid": 2007}
    with pytest.raises(AssertionError, match=f"'{name}' is .*can't be a person's"):
        but(host, **{name: mallory}).converge()
    assert host.machine.says(ACCOUNTS) == before


def test_only_root_takes_the_role_of_a_host(host: Subject) -> None:
    assert host.log_in("grace", ASK).stdout == "000"
    assert host.log_in("ada", ASK).stdout == "000"
    assert host.log_in("ada", f"sudo {ASK}").stdout == "401"


def test_the_rules_are_there_after_a_boot(host: Subject) -> None:
    machine = host.machine
    machine.reboot_and_wait(lambda: machine.run("sudo systemctl reboot"))
    assert host.log_in("grace", ASK).stdout == "000"


def test_a_group_that_leads_to_root_is_left_by_whoever_is_no_administrator(host: Subject) -> None:
    host.machine.says("sudo gpasswd -a grace sudo && sudo gpasswd -a grace docker")
    host.converge()
    assert not {"sudo", "docker"} & set(host.log_in("grace", "id -Gn").stdout.split())


def test_who_is_no_administrator_any_more_is_not_root_in_any_session(host: Subject) -> None:
    plain = {**host.told["users"]["ada"], "admin": False}
    demoted = but(host, ada=plain)
    demoted.converge()
    found = verify([demoted], host.machine.account.lab.files.folder / "who", only="test_people")
    assert found["base"].unreachable == ""
    assert [f"{one.name}: {one.message}" for one in found["base"].failures] == []
    assert "password is required" in demoted.log_in("ada", "sudo -n id -u 2>&1").stdout
    host.converge()


def test_what_a_converge_leaves_is_roots(host: Subject) -> None:
    found = verify([host], host.machine.account.lab.files.folder / "state", only="test_state")
    assert [f"{one.name}: {one.message}" for one in found["base"].failures] == []
    assert found["base"].tests


def test_who_is_deleted_from_the_fleet_keeps_nothing(host: Subject) -> None:
    left_behind = "nohup sleep 1000 >/dev/null 2>&1 & disown; true"
    assert host.log_in("eve", left_behind).code == 0
    but(host, eve=None).converge()
    assert "Permission denied" in host.log_in("eve", "true").stderr
    assert host.machine.says("ps -eo uid= | grep -cw 2006; getent passwd eve; true") == "0"
