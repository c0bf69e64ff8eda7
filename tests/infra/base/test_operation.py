"""What an operator finds who logs in at night."""

from tests.infra.facts import Host, Node, states

TOOLS = ("curl", "htop", "jq", "less", "lsof", "rsync", "vim")


def test_the_banner_says_what_this_host_is_and_who_manages_it(host: Host, node: Node) -> None:
    shown = host.check_output("cat /etc/motd")
    assert node["role"] in shown
    assert (node["hostname"] or "") in shown
    assert "Managed by orchestrate" in shown


def test_the_tools_are_at_hand(host: Host) -> None:
    there = host.run(f"which {' '.join(TOOLS)}").stdout.split()
    assert [path.rsplit("/")[-1] for path in there] == list(TOOLS)


def test_nothing_has_failed(host: Host) -> None:
    assert host.check_output("systemctl --failed --no-legend --plain") == ""


def test_somebody_can_log_in(host: Host) -> None:
    assert "active" in states(host, "is-active", ["ssh.service", "ssh.socket"]).values()
    assert host.socket("tcp://0.0.0.0:22").is_listening
