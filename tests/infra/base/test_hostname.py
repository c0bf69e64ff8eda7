"""A host knows its name; an image has none."""

import pytest

from tests.infra.facts import Host, Node


@pytest.fixture(scope="module")
def name(node: Node) -> str:
    """The name that `orchestrate hosts` shows."""
    if node["hostname"] is None:
        pytest.skip("an image has no name")
    return str(node["hostname"])


def test_it_calls_itself_as_the_fleet_does(host: Host, name: str) -> None:
    assert host.check_output("hostname") == name
    assert host.check_output("cat /etc/hostname") == name


def test_its_name_leads_to_an_address_that_others_can_use(
    host: Host, node: Node, name: str
) -> None:
    address, *_ = host.check_output(f"getent ahostsv4 {name}").split()
    assert not address.startswith("127.")
    assert address in host.check_output("hostname --all-ip-addresses").split()
    short = name.partition(".")[0]
    wanted = f"{short}.{node['domain']}" if node["domain"] else short
    assert host.check_output("hostname --fqdn") == wanted


def test_no_boot_takes_the_name_away(host: Host, name: str) -> None:
    if not host.exists("cloud-init"):
        pytest.skip("this host has no cloud-init")
    shown = host.check_output("cat /etc/cloud/cloud.cfg.d/*.cfg")
    assert "preserve_hostname: true" in shown
