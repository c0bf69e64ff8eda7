"""People try things out on an ad-hoc node, and don't get into each other's way."""

import pytest

from tests.infra.facts import Host, Node, states

TOOLS = ("cc", "g++", "make", "cmake", "git", "python3", "pip3", "tmux", "pkg-config")
COMPILED = r"""
cd $(mktemp -d) && trap 'rm -rf "$PWD"' EXIT &&
printf '#include <Python.h>\nint main() { return PY_MAJOR_VERSION - 3; }\n' > try.c &&
cc $(pkg-config --cflags python3) try.c -o try && ./try && echo compiled
"""

# What Debian leaves out without python3-venv is pip's own copy; to unpack it takes seconds.
ENVIRONMENT = (
    "d=$(mktemp -d) && python3 -m venv --without-pip $d && $d/bin/python -m ensurepip --version;"
    " result=$?; rm -rf $d; exit $result"
)


def test_the_tools_are_at_hand(host: Host) -> None:
    there = host.run(f"which {' '.join(TOOLS)}").stdout.split()
    assert [path.rsplit("/")[-1] for path in there] == list(TOOLS)


def test_an_extension_of_python_compiles(host: Host) -> None:
    assert host.check_output(COMPILED) == "compiled"


@pytest.mark.usefixtures("root")
def test_anybody_makes_a_virtual_environment(host: Host) -> None:
    made = host.run(f"runuser -u nobody -- sh -c '{ENVIRONMENT}'")
    assert made.rc == 0, made.stdout
    assert "pip" in made.stdout


def test_scratch_space_is_everybodys_and_nobody_elses_to_delete(host: Host) -> None:
    folder = host.file("/scratch")
    assert (folder.user, folder.mode) == ("root", 0o1777)


def test_scratch_space_is_cleaned(host: Host) -> None:
    rules = host.check_output("systemd-tmpfiles --cat-config")
    assert "d /scratch 1777 root root 14d" in rules.splitlines()
    timer = "systemd-tmpfiles-clean.timer"
    assert states(host, "is-active", [timer]) == {timer: "active"}


def test_scratch_space_is_on_instance_storage_where_there_is_any(host: Host) -> None:
    disks = "/dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*"
    if host.run(f"ls {disks}").rc != 0:
        pytest.skip("this host has no instance storage")
    assert host.mount_point("/scratch").exists
    assert host.mount_point("/scratch").filesystem == "ext4"


@pytest.fixture(scope="module")
def share(host: Host, node: Node) -> dict[str, str]:
    """What systemd grants a person's slice, also while they are not here."""
    uid = next((user["uid"] for user in node["users"].values()), 2001)
    asked = "CPUWeight,MemoryHigh,MemoryMax,TasksMax"
    shown = host.check_output(f"systemctl show user-{uid}.slice --property={asked}")
    return dict(line.split("=") for line in shown.splitlines())


def test_nobody_takes_the_memory_of_all(host: Host, share: dict[str, str]) -> None:
    total = int(host.check_output("awk '/^MemTotal/ {print $2}' /proc/meminfo")) * 1024
    assert 0.6 * total < int(share["MemoryHigh"]) < int(share["MemoryMax"]) < 0.9 * total


def test_everybody_has_the_same_share_of_the_cpu_and_a_bound_on_processes(
    share: dict[str, str],
) -> None:
    assert share["CPUWeight"] == "100"
    assert share["TasksMax"].isdigit()


def test_a_session_is_counted_for_its_person(host: Host, node: Node) -> None:
    assert states(host, "is-active", ["systemd-logind"]) == {"systemd-logind": "active"}
    assert "pam_systemd.so" in host.check_output("cat /etc/pam.d/common-session")
