"""Only root takes the host's role from EC2's metadata service."""

import pytest

from tests.infra.facts import Host, Node

ASK = "curl -s -o /dev/null -m 5 -w '%{http_code}'"
# curl(1): could not connect, as somebody said so; a packet that is lost would be 28.
REFUSED = 7


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("address", ["169.254.169.254", "[fd00:ec2::254]"])
def test_nobody_else_gets_to_the_metadata_service(host: Host, address: str) -> None:
    for who in ("nobody", "daemon"):
        asked = host.run(f"setpriv --reuid {who} --clear-groups {ASK} http://{address}/")
        assert (asked.rc, asked.stdout) == (REFUSED, "000"), f"{who} got an answer"


@pytest.mark.usefixtures("root")
def test_root_is_answered(host: Host, node: Node) -> None:
    if not node["time_servers"]:
        pytest.skip("this host is in a rack, where there is no metadata service")
    assert host.check_output(f"{ASK} http://169.254.169.254/latest/meta-data/") == "401"


def test_a_boot_makes_the_rules_before_the_network(host: Host) -> None:
    unit = host.check_output("systemctl show metadata.service -p Before -p UnitFileState")
    assert "network-pre.target" in unit
    assert "UnitFileState=enabled" in unit
