"""Security updates come by themselves; nothing else does."""

import re

import pytest

from tests.infra.facts import Host, states

TIMERS = ("apt-daily.timer", "apt-daily-upgrade.timer")


@pytest.fixture(scope="module")
def apt(host: Host) -> dict[str, list[str]]:
    """apt's settings as it reads them: values by name, lists as several."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'^(\S+) "(.*)";$', host.check_output("apt-config dump"), re.M):
        found.setdefault(name.removesuffix("::"), []).append(value)
    return found


def test_only_security_updates_are_installed(apt: dict[str, list[str]]) -> None:
    origins = apt["Unattended-Upgrade::Origins-Pattern"]
    assert [one for one in origins if one] != []
    assert [one for one in origins if one and "-security" not in one] == []
    assert [one for one in apt.get("Unattended-Upgrade::Allowed-Origins", []) if one] == []


def test_they_come_daily(host: Host, apt: dict[str, list[str]]) -> None:
    assert apt["APT::Periodic::Update-Package-Lists"] == ["1"]
    assert apt["APT::Periodic::Unattended-Upgrade"] == ["1"]
    assert states(host, "is-active", TIMERS) == dict.fromkeys(TIMERS, "active")
    assert states(host, "is-enabled", TIMERS) == dict.fromkeys(TIMERS, "enabled")
    assert host.package("unattended-upgrades").is_installed


def test_a_shutdown_waits_for_an_update_that_is_at_work(host: Host) -> None:
    unit = "unattended-upgrades.service"
    assert states(host, "is-enabled", [unit]) == {unit: "enabled"}
    assert states(host, "is-active", [unit]) == {unit: "active"}


def test_what_runs_below_other_programs_is_not_updated_under_them(
    host: Host, apt: dict[str, list[str]]
) -> None:
    never = [one for one in apt.get("Unattended-Upgrade::Package-Blacklist", []) if one]
    installed = {
        pattern: host.package(package).is_installed
        for package, pattern in (("containerd", "containerd"), ("runc", "runc"))
    }
    assert [name for name, here in installed.items() if here and name not in never] == []


def test_no_update_restarts_the_host(apt: dict[str, list[str]]) -> None:
    assert apt["Unattended-Upgrade::Automatic-Reboot"][-1] == "false"
