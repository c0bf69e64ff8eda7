"""Logs outlive a boot and don't fill the disk."""

from tests.infra.facts import Host


def test_the_journal_is_kept_and_bounded(host: Host) -> None:
    shown = host.check_output("systemd-analyze cat-config systemd/journald.conf")
    lines = (line.partition("=") for line in shown.splitlines() if not line.startswith("#"))
    settings = {name: value for name, _, value in lines}
    assert settings["Storage"] == "persistent"
    assert settings["SystemMaxUse"] == "1G"
    assert settings["SystemKeepFree"] == "2G"


def test_it_is_on_disk(host: Host) -> None:
    machine = host.check_output("cat /etc/machine-id")
    assert host.file(f"/var/log/journal/{machine}").is_directory
    assert host.check_output("systemctl is-active systemd-journald") == "active"
