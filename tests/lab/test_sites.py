"""A site's racks as real hosts: on their LAN, behind their gateway, and reached as on metal."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab.paths import FOLDER_VARIABLE, LabFiles
from tests.lab.conftest import EXAMPLE, ROOT, LabFolder
from tests.lab.machines import remove_instances, site, until
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.hosts
SITE = """\
name: site-lab
lans:
  servers: {range: 10.64.0.0/20}
  bench: {range: 10.64.16.0/22}
gateway:
  host: gw
  public_address: 203.0.113.77
login: installer
storage:
  host: nfs
  exports: [home]
racks:
  r1:
    gw:   {role: site-gateway, lan: servers, address: 10.64.0.2}
    nfs:  {role: storage, lan: servers, address: 10.64.1.1}
    cpu1: {role: cpu-worker, lan: bench, address: 10.64.16.9}
"""


@dataclass(frozen=True)
class Repository:
    """A fleet whose one site is SITE, and a lab that has its racks."""

    root: Path
    lab: LabFolder

    def orchestrate(self, *words: str, check: bool = True) -> shell.Finished:
        return shell.run(
            [sys.executable, "-m", "orchestrate", "--root", str(self.root), *words],
            cwd=ROOT,
            env={**os.environ, FOLDER_VARIABLE: str(self.lab.files.folder)},
            timeout_s=PATIENCE_S,
            check=check,
        )

    def says(self, host: str, command: str) -> str:
        return self.orchestrate("ssh", f"{host}.site-lab", command).stdout.strip()

    def racks(self) -> dict[str, dict[str, str]]:
        told = json.loads(self.orchestrate("lab", "status", "--json").stdout)
        return {rack["name"].partition(".")[0]: rack for rack in told["racks"]}

    def wait(self) -> None:
        self.orchestrate("hosts", "--wait", "120", "site-lab")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    from orchestrate.lab.hosts import missing

    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(EXAMPLE, root / "fleet")
    shutil.rmtree(root / "fleet" / "sites")
    (root / "fleet" / "sites").mkdir()
    (root / "fleet" / "addresses.lock.yaml").unlink()
    (root / "fleet" / "sites" / "site-lab.yaml").write_text(SITE)
    made = Repository(root, LabFolder(LabFiles(tmp_path_factory.mktemp("lab-sites"))))
    try:
        told = made.orchestrate("lab", "up").stdout
        assert "racks  3 of site-lab" in told
        made.wait()
        yield made
    finally:
        made.orchestrate("lab", "down")


def test_racks_reach_each_other_over_lans_and_the_internet_by_their_gateway(
    repository: Repository,
) -> None:
    assert repository.says("cpu1", "ping -c 1 -W 2 -q 10.64.1.1 >/dev/null && hostname") == "cpu1"
    # The first hop of another LAN, and of everything else, is the gateway.
    assert repository.says("cpu1", "ip route show default").split()[2] == "10.64.16.1"
    index = "http://archive.lab.internal/debian/dists/bookworm/InRelease"
    asked = f"curl -sS -m 10 -o /dev/null -w '%{{http_code}} %{{remote_ip}}' {index}"
    assert repository.says("nfs", asked).startswith("200 198.18.")


def test_one_logs_in_by_the_installer_s_login_through_the_gateway(repository: Repository) -> None:
    come_from = repository.says("nfs", "echo $USER $SSH_CONNECTION").split()
    assert (come_from[0], come_from[1], come_from[3]) == ("installer", "10.64.0.2", "10.64.1.1")
    listed = json.loads(repository.orchestrate("hosts", "site-lab", "--json").stdout)
    assert {host["name"]: host["via"] for host in listed} == {
        "gw.site-lab": None,
        "nfs.site-lab": "gw.site-lab",
        "cpu1.site-lab": "gw.site-lab",
    }


def test_the_internet_reaches_the_gateway_by_its_public_address_and_no_rack(
    repository: Repository,
) -> None:
    place = site(repository.lab, "200000000041")
    try:
        stranger = place.launch()
        asked = "timeout 3 bash -c 'exec 3<>/dev/tcp/{}/22 && head -c 4 <&3'"
        assert stranger.says(asked.format("203.0.113.77")) == "SSH-"
        assert stranger.run(asked.format("10.64.1.1")).code != 0
        # And the world sees the site as its gateway's public address.
        stranger.says("sudo systemd-run -q -u seen python3 -m http.server 8080")
        allow = {"IpProtocol": "tcp", "FromPort": 8080, "ToPort": 8080, "CidrIp": "203.0.113.77/32"}
        place.ec2.authorize_security_group_ingress(GroupId=place.security_group, **allow)
        fetched = f"curl -sS -m 5 -o /dev/null http://{stranger.address}:8080/ && echo fetched"
        until(lambda: repository.orchestrate("ssh", "nfs.site-lab", fetched, check=False).code == 0)
        assert "203.0.113.77" in stranger.says("sudo journalctl -u seen -o cat")
    finally:
        remove_instances(place)


def test_this_machine_has_no_route_to_the_fleet_s_own_address(repository: Repository) -> None:
    assert repository.racks()["gw"]["reached_at"].startswith("198.18.")
    routes = shell.run(["ip", "route", "show", "table", "all"]).stdout
    assert "203.0.113.77" not in routes
    assert "10.64." not in routes


def test_up_brings_the_racks_in_line_with_the_fleet(repository: Repository) -> None:
    file = repository.root / "fleet" / "sites" / "site-lab.yaml"
    boot = "cat /proc/sys/kernel/random/boot_id; systemctl show -P UserspaceTimestamp"
    before = repository.says("nfs", boot)
    changed = SITE.replace("address: 10.64.16.9", "address: 10.64.16.10")
    extra = "    cpu2: {role: cpu-worker, lan: bench, address: 10.64.16.11}\n"
    try:
        file.write_text(changed + extra)
        assert "racks  4 of site-lab" in repository.orchestrate("lab", "up").stdout
        until(lambda: repository.racks()["cpu1"]["host"] == "running")
        repository.wait()
        assert "10.64.16.10/22" in repository.says("cpu1", "ip -br address show eth0")
        assert repository.says("cpu2", "hostname") == "cpu2"
        assert repository.says("nfs", boot) == before, "who did not change was left alone"
    finally:
        file.write_text(SITE)
        repository.orchestrate("lab", "up")
    until(lambda: "cpu2" not in repository.racks())
    repository.wait()


def test_faults_find_racks_and_a_restart_keeps_them(repository: Repository) -> None:
    repository.says("nfs", "echo kept > file && sync")
    key = repository.says("nfs", "cat /etc/ssh/ssh_host_ed25519_key.pub")
    repository.orchestrate("lab", "fault", "add", "network", "nfs.site-lab")
    until(lambda: repository.orchestrate("ssh", "nfs.site-lab", "true", check=False).code != 0)
    repository.orchestrate("lab", "fault", "clear")
    until(lambda: repository.orchestrate("ssh", "nfs.site-lab", "true", check=False).code == 0)

    def begun() -> str:
        """When it booted; "" while it doesn't answer."""
        asked = ("ssh", "nfs.site-lab", "cut -d ' ' -f 22 /proc/1/stat")
        return repository.orchestrate(*asked, check=False).stdout

    before = begun()
    repository.orchestrate("lab", "fault", "add", "reboot", "nfs")
    # It may be back before anybody sees that it was away.
    until(lambda: begun() not in {"", before})
    refused = repository.orchestrate("lab", "fault", "add", "interrupt", "nfs", check=False)
    assert (refused.code, "is a rack" in refused.stderr) == (1, True)

    repository.orchestrate("lab", "down", "--keep")
    repository.orchestrate("lab", "up", "--no-sites")
    repository.wait()
    assert repository.says("nfs", "cat file") == "kept"
    assert repository.says("nfs", "cat /etc/ssh/ssh_host_ed25519_key.pub") == key
