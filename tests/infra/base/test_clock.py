"""Whose time it is."""

import pytest

from tests.infra.facts import Host, Node, states


@pytest.fixture(scope="module")
def asked(host: Host) -> list[str]:
    """`server` and `pool` lines of chrony's settings: what is asked, without the options."""
    shown = host.check_output("chronyd -p")
    lines = (line.split() for line in shown.splitlines())
    return [" ".join(words[:2]) for words in lines if words and words[0] in {"server", "pool"}]


def test_the_time_comes_from_where_the_fleet_says(node: Node, asked: list[str]) -> None:
    if servers := node["time_servers"]:
        assert asked == [f"server {server}" for server in servers]
    else:
        assert [line.split()[0] for line in asked] == ["pool"]


def test_leap_seconds_are_left_to_the_servers(host: Host) -> None:
    assert "leapsectz" not in host.check_output("chronyd -p")


def test_chrony_starts_at_boot_and_nobody_else_sets_the_clock(host: Host) -> None:
    assert states(host, "is-enabled", ["chrony.service"]) == {"chrony.service": "enabled"}
    assert not host.package("systemd-timesyncd").is_installed


def test_chrony_asks_them(host: Host, node: Node) -> None:
    assert states(host, "is-active", ["chrony.service"]) == {"chrony.service": "active"}
    sources = host.check_output("chronyc -c -n sources").splitlines()
    assert {line.split(",")[2] for line in sources} >= set(node["time_servers"])
