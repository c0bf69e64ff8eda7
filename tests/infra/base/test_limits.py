"""What a session may use."""

import pytest

from tests.infra.facts import Host, Node, may_open

# Who starts another's session is root.
pytestmark = pytest.mark.usefixtures("root")


@pytest.fixture(scope="module")
def limits(host: Host, node: Node) -> list[str]:
    """Of a session: open files, soft and hard; size of a core file."""
    login = node["login"]
    if not host.user(login).exists:
        pytest.skip(f"this host has no login {login}")
    return list(host.check_output(f"su -l {login} -c 'ulimit -Sn; ulimit -Hn; ulimit -Sc'").split())


def test_a_session_may_open_many_files(host: Host, limits: list[str]) -> None:
    if not may_open(host, 1048576):
        pytest.skip("nobody on this host may raise a limit")
    assert limits[:2] == ["65536", "1048576"]


def test_a_program_that_dies_leaves_no_core(limits: list[str]) -> None:
    assert limits[2] == "0"
