"""The same folders at the same paths on every host that works with them."""

import pytest

from tests.infra.facts import Host, Node, kernel_has, states


@pytest.fixture(scope="module")
def units(host: Host, node: Node) -> dict[str, dict[str, str]]:
    """What systemd knows of each folder's mount, by path."""
    asked = "Where,What,Type,Options,TimeoutUSec"
    shown = {
        path: host.check_output(
            f"systemctl show $(systemd-escape -p --suffix=mount {path}) -p {asked}"
        )
        for path in node["mounts"]
    }
    return {
        path: dict(line.split("=", 1) for line in text.splitlines()) for path, text in shown.items()
    }


def test_every_folder_of_the_fleet_has_its_mount(
    node: Node, units: dict[str, dict[str, str]]
) -> None:
    wanted = {path: how["source"] for path, how in node["mounts"].items()}
    assert {path: unit["What"] for path, unit in units.items()} == wanted
    assert [path for path, unit in units.items() if unit["Where"] != path] == []


def test_a_boot_does_not_wait_for_storage(
    host: Host, node: Node, units: dict[str, dict[str, str]]
) -> None:
    texts = host.check_output("cat /etc/systemd/system/*.mount; true").splitlines()
    options = [line.split(",") for line in texts if line.startswith("Options=")]
    assert len(options) >= len(node["mounts"])
    assert [one for one in options if not {"nofail", "_netdev"} <= set(one)] == []
    assert [line for line in texts if line.startswith("RequiredBy=")] == []


def test_a_share_grants_nobody_anything(units: dict[str, dict[str, str]]) -> None:
    options = {path: set(unit["Options"].split(",")) for path, unit in units.items()}
    assert [path for path, found in options.items() if not {"nosuid", "nodev"} <= found] == []


def test_what_is_not_the_hosts_neighbour_is_encrypted_and_mounted_as_the_hosts_role(
    node: Node, units: dict[str, dict[str, str]]
) -> None:
    points = {path for path, how in node["mounts"].items() if how["type"] == "access-point"}
    options = {path: set(units[path]["Options"].split(",")) for path in points}
    assert [path for path in points if not {"tls", "iam"} <= options[path]] == []
    assert {path: units[path]["Type"] for path in points} == dict.fromkeys(points, "access-point")


@pytest.mark.usefixtures("root")
def test_only_root_speaks_to_the_tunnels(host: Host, node: Node) -> None:
    if all(how["type"] != "access-point" for how in node["mounts"].values()):
        pytest.skip("this host mounts nothing through a tunnel")
    listening = "python3 -m http.server --bind 127.0.0.1 20049"
    ask = "curl -s -o /dev/null -m 5 --retry 5 --retry-connrefused -w '%{http_code}'"
    shown = host.check_output(
        f"cd /run/sshd && {listening} >/dev/null 2>&1 & {ask} http://127.0.0.1:20049/; echo;"
        f" setpriv --reuid nobody --clear-groups {ask} --retry 0 http://127.0.0.1:20049/;"
        " kill %1 || kill $!; true"
    )
    assert shown.split() == ["200", "000"]


def test_no_folder_is_mounted_that_the_fleet_does_not_name(host: Host, node: Node) -> None:
    mounted = host.check_output("findmnt --types nfs,nfs4 --noheadings --output TARGET; true")
    assert set(mounted.split()) <= set(node["mounts"])


def test_the_folders_are_there(host: Host, node: Node) -> None:
    if not kernel_has(host, "nfs4", "nfsv4"):
        pytest.skip("the kernel under this host can't mount NFS: only the units are in place")
    automounts = [path.strip("/").replace("/", "-") + ".automount" for path in node["mounts"]]
    assert set(states(host, "is-active", automounts).values()) <= {"active"}
    for path in (path for path, how in node["mounts"].items() if how["type"] == "nfs4"):
        looked = host.run(f"timeout 20 findmnt --types nfs,nfs4 --mountpoint {path}")
        assert looked.rc == 0, f"{path} is not mounted"


def test_only_version_four_is_spoken(host: Host) -> None:
    assert host.check_output("systemctl is-enabled rpcbind.socket; true") == "masked"
    assert not host.socket("tcp://0.0.0.0:111").is_listening
