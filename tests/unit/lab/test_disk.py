"""A host's identity, as text."""

from orchestrate.lab.disk import host_keys, hosts_file, login_home, login_lines
from tests.lab.specs import a_spec


def test_a_host_knows_its_own_name_without_a_name_server() -> None:
    assert "10.1.0.11 ip-10-1-0-11\n" in hosts_file(a_spec(1))


def test_a_login_has_a_home_and_a_shell_and_no_password() -> None:
    lines = login_lines("ubuntu")

    assert lines["passwd"] == "ubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n"
    assert lines["shadow"].split(":")[1] == "*"
    assert lines["group"] == "ubuntu:x:1000:\n"


def test_an_image_says_where_its_login_lives() -> None:
    passwd = "root:x:0:0:root:/root:/bin/bash\nadmin:x:1000:1000::/var/home/admin:/bin/bash\n"
    assert login_home(passwd, "admin") == "/var/home/admin"
    assert login_home(passwd, "ubuntu") is None


def test_a_key_is_shown_as_ssh_shows_it() -> None:
    # From `ssh-keygen -t ed25519` and `ssh-keygen -l`.
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL40Hz0TeMRjHM3XdhJEU3BxapEYoF7B+t67qfGEqFZ4"
    assert (
        "256 SHA256:oztaDfz/MFU+wHwRrlCcdp7YR71dfTelVbh8zo0Soss root@ip-10-1-0-11 (ED25519)\n"
        in host_keys(f"{key} root@ip-10-1-0-11\n")
    )
    assert f"{key} root@ip-10-1-0-11\n" in host_keys(f"{key} root@ip-10-1-0-11\n")
