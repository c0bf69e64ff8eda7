"""What a session may use."""

import pytest

from tests.infra.facts import Host, Node


def test_a_session_may_open_many_files_and_writes_no_core(host: Host, node: Node) -> None:
    login = node["login"]
    if not host.user(login).exists:
        pytest.skip(f"this host has no login {login}")
    shown = host.check_output(f"su -l {login} -c 'ulimit -Sn; ulimit -Hn; ulimit -Sc'")
    assert shown.split() == ["65536", "1048576", "0"]
