"""A site's storage host exports what the fleet says, to those alone who mount it."""

import pytest

from tests.infra.facts import Host, Node, kernel_has


@pytest.fixture(scope="module")
def exports(host: Host) -> dict[str, dict[str, list[str]]]:
    """Options by client, by exported folder."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in host.check_output("cat /etc/exports /etc/exports.d/*.exports").splitlines():
        if line and not line.startswith("#"):
            path, *clients = line.split()
            pairs = (client.removesuffix(")").split("(") for client in clients)
            found[path] = {client: options.split(",") for client, options in pairs}
    return found


def test_the_fleets_folders_are_exported_to_those_alone_who_mount_them(
    node: Node, exports: dict[str, dict[str, list[str]]]
) -> None:
    wanted = {path: clients for path, clients in node["exports"].items() if clients}
    assert {path: list(clients) for path, clients in exports.items()} == wanted
    # Hosts one by one, never a network.
    assert [one for clients in exports.values() for one in clients if "/" in one] == []


def test_root_of_a_client_is_nobody_and_nobody_else_speaks_for_it(
    exports: dict[str, dict[str, list[str]]],
) -> None:
    options = [set(one) for clients in exports.values() for one in clients.values()]
    assert [one for one in options if not {"root_squash", "secure"} <= one] == []
    assert [one for one in options if {"no_root_squash", "insecure"} & one] == []


def test_homes_are_made_here_and_are_their_owners_alone(host: Host, node: Node) -> None:
    wanted = {f"/srv/home/{name}": f"{uid} {uid} 700" for name, uid in node["homes"].items()}
    paths = " ".join(wanted) or "/nowhere"
    shown = host.run(f"stat -c '%n %u %g %a' {paths}").stdout.splitlines()
    found = {path: rest for path, _, rest in (line.partition(" ") for line in shown)}
    assert found == wanted


def test_what_the_server_confirmed_outlives_a_crash(
    exports: dict[str, dict[str, list[str]]],
) -> None:
    assert [
        path
        for path, clients in exports.items()
        if any("sync" not in options for options in clients.values())
    ] == []


def test_shared_folders_belong_to_everybody_and_homes_to_nobody(host: Host, node: Node) -> None:
    modes = {"/srv/home": "root 755", "/srv/results": "fleet-users 3775"}
    wanted = {path: modes.get(path, "fleet-users 2775") for path in node["exports"]}
    shown = host.check_output(f"stat -c '%n %G %a' {' '.join(wanted) or '/srv'}").splitlines()
    found = {path: rest for path, _, rest in (line.partition(" ") for line in shown)}
    assert not wanted or found == wanted


def test_only_version_four_is_spoken(host: Host) -> None:
    assert host.check_output("nfsconf --get nfsd vers3") == "n"
    assert not host.socket("tcp://0.0.0.0:111").is_listening


def test_the_server_serves(host: Host, node: Node) -> None:
    if not kernel_has(host, "nfsd", "nfsd"):
        pytest.skip("the kernel under this host has no NFS server: only its settings are in place")
    assert host.check_output("systemctl is-active nfs-server") == "active"
    assert host.socket("tcp://0.0.0.0:2049").is_listening
    served = host.check_output("exportfs -s")
    assert [path for path in node["exports"] if path not in served] == []
