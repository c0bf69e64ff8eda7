"""A host's identity, as text."""

from orchestrate.lab.disk import hosts_file, login_lines
from tests.lab.specs import a_spec


def test_a_host_knows_its_own_name_without_a_name_server() -> None:
    assert "10.1.0.11 ip-10-1-0-11\n" in hosts_file(a_spec(1))


def test_a_login_has_a_home_and_a_shell_and_no_password() -> None:
    lines = login_lines("ubuntu")

    assert lines["passwd"] == "ubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n"
    assert lines["shadow"].split(":")[1] == "*"
    assert lines["group"] == "ubuntu:x:1000:\n"
