"""Hosts held against suites over SSH: a bastion, a worker behind it, and one that is deaf."""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from orchestrate import shell
from orchestrate.shell import Stop
from tests.lab import small_cluster
from tests.lab.conftest import ROOT, LabFolder
from tests.lab.patience import PATIENCE_S
from tests.lab.small_cluster import BASTION, CLUSTER, SmallCluster

pytestmark = pytest.mark.hosts

SUITES = {
    "tiny/test_tiny.py": """
        import pytest

        def test_its_file_is_private(host):
            assert host.file("/etc/tiny.conf").mode == 0o600

        def test_it_is_asked_as_root(host):
            assert host.check_output("id -un") == "root"

        def test_it_was_told_its_role(host, node):
            assert node["role"] in ("bastion", "cpu-worker", "ssh-node")
            assert (node["role"] == "bastion") == host.file("/etc/bastion").exists

        @pytest.mark.parametrize("word", ["one", "it's two"])
        def test_words_arrive_whole(host, word):
            assert host.check_output("echo %s", word) == word
    """,
    "workers/test_workers.py": """
        import pytest

        def test_it_has_a_card(host):
            pytest.skip("no card in this machine")
    """,
}
RUN_LISTS = {
    "bastion": ["recipe[tiny]"],
    "cpu-worker": ["recipe[tiny]", "recipe[workers]", "recipe[untested]"],
    "ssh-node": ["recipe[tiny]"],
}


@pytest.fixture(scope="module")
def cluster(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallCluster]:
    """One worker is as its suite wants it; an ad-hoc node's sshd is switched off."""
    made = small_cluster.build(lab, tmp_path_factory.mktemp("repository"), workers=1)
    (dead,) = made.launch("ssh-node", 1, {"group": "adhoc"})
    write_repository(made.root)
    made.orchestrate("hosts", "--wait", "180", CLUSTER)
    for host in (BASTION, *made.names):
        made.says(host, "sudo touch /etc/tiny.conf; sudo chmod 600 /etc/tiny.conf")
    made.says(BASTION, "sudo touch /etc/bastion")
    made.says(dead, "sudo systemctl stop ssh.socket ssh.service")
    yield made
    made.remove()


def write_repository(root: Path) -> None:
    for name, text in SUITES.items():
        write_suite(root, name, text)
    shutil.copy(ROOT / "tests" / "infra" / "conftest.py", root / "tests" / "infra")
    for cookbook in ("tiny", "workers", "untested"):
        folder = root / "chef" / "cookbooks" / cookbook
        folder.mkdir(parents=True)
        (folder / "metadata.rb").write_text(f"name '{cookbook}'\nversion '1.0.0'\n")
    (root / "chef" / "roles").mkdir()
    (root / "chef" / "client").mkdir()
    for role, run_list in RUN_LISTS.items():
        text = json.dumps({"name": role, "run_list": run_list})
        (root / "chef" / "roles" / f"{role}.json").write_text(text)


def write_suite(root: Path, name: str, text: str) -> Path:
    path = root / "tests" / "infra" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(line.removeprefix(" " * 8) for line in text.splitlines()))
    return path


@pytest.fixture
def only_suite(cluster: SmallCluster) -> Iterator[Path]:
    """A suite of the worker's beside the others, which the test writes."""
    folder = cluster.root / "tests" / "infra" / "untested"
    folder.mkdir()
    yield folder / "test_untested.py"
    shutil.rmtree(folder)


@dataclass(frozen=True)
class Verified:
    """All three hosts verified once, and how often somebody logged in to the bastion for it."""

    report: dict[str, Any]
    logins: int


@pytest.fixture(scope="module")
def verified(cluster: SmallCluster) -> Verified:
    logins = "sudo journalctl -u ssh -o cat | grep -c ^Accepted"
    before = int(cluster.says(BASTION, logins))
    report = cluster.json("verify", CLUSTER)
    return Verified(report, int(cluster.says(BASTION, logins)) - before - 1)


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Sockets go below it, and their paths may not be long."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_each_host_is_held_against_the_suites_of_its_role(
    cluster: SmallCluster, verified: Verified
) -> None:
    (worker,) = cluster.names
    hosts = verified.report["hosts"]
    suites = {host: {test["suite"] for test in hosts[host]["tests"]} for host in (BASTION, worker)}
    assert suites == {BASTION: {"tiny"}, worker: {"tiny", "workers"}}
    assert verified.report["counts"] == {
        "passed": 2,
        "failed": 0,
        "unreachable": 1,
        "untested": 0,
        "left_out": 0,
    }


def test_all_hosts_behind_a_bastion_share_one_login_there(verified: Verified) -> None:
    # So do the bastion's own tests.
    assert verified.logins == 1


def test_a_wrong_mode_is_caught_and_a_dead_host_is_unreachable_not_failed(
    cluster: SmallCluster, tmp_path: Path
) -> None:
    (worker,) = cluster.names
    cluster.says(worker, "sudo chmod 644 /etc/tiny.conf")
    report = tmp_path / "reports" / "verify.xml"
    try:
        done = cluster.orchestrate("verify", CLUSTER, "--junit", str(report), check=False)
    finally:
        cluster.says(worker, "sudo chmod 600 /etc/tiny.conf")
    assert done.code == 1
    assert "tiny: test_its_file_is_private  tests/infra/tiny/test_tiny.py:5" in done.stdout
    assert f"on {worker}\n" in done.stdout
    assert "assert mode 0o644 == 0o600" in done.stdout
    assert "# stat -Lc %a /etc/tiny.conf\n    644" in done.stdout
    assert "1 passed, 1 failed, 1 unreachable" in done.stdout
    suites = {suite.get("name", ""): suite for suite in ElementTree.parse(report).getroot()}
    counts = {
        host.partition(".")[0].partition("-")[0]: (suite.get("failures"), suite.get("errors"))
        for host, suite in suites.items()
    }
    assert counts == {"bastion": ("0", "0"), "cpu": ("1", "0"), "adhoc": ("0", "1")}
    (dead,) = (suite for name, suite in suites.items() if name.startswith("adhoc"))
    assert [prop.get("value") for prop in dead.iter("property")] == ["unreachable"]


def test_a_host_lost_in_the_middle_is_unreachable_and_keeps_what_was_found(
    cluster: SmallCluster, only_suite: Path
) -> None:
    only_suite.write_text(
        "def test_first(host): assert host.run('true').succeeded\n"
        "def test_lost(host): host.run('pkill -9 -f \"[s]shd: admin\"')\n"
        "def test_never(host): host.run('true')\n"
    )
    found = cluster.json("verify", "cpu", "-k", "untested")["hosts"][cluster.names[0]]
    assert found["state"] == "unreachable"
    assert found["unreachable"].startswith("lost after 1 of 3 tests")
    assert [test["name"] for test in found["tests"]] == ["test_first"]


def test_ctrl_c_ends_a_verification_and_its_connections(
    cluster: SmallCluster, only_suite: Path, short_folder: Path, tmp_path: Path
) -> None:
    only_suite.write_text("def test_long(host): host.run('touch /tmp/begun; sleep 50')\n")
    argv, output = cluster.argv("verify", "cpu", "-k", "untested"), tmp_path / "output"
    environment = {**cluster.environment, "TMPDIR": str(short_folder)}
    running = shell.start(argv, output, stop=Stop(), cwd=ROOT, env=environment)
    while not cluster.says(cluster.names[0], "ls /tmp | grep -x begun || true"):
        assert running.poll() is None, output.read_text()
        time.sleep(0.2)
    assert "ssh -T -F" in commands_with(str(short_folder)).replace("\0", " ")
    os.kill(running.pid, signal.SIGINT)
    assert running.wait() == 130, output.read_text()
    assert "interrupted; 0 of 1 hosts were verified" in output.read_text()
    assert commands_with(str(short_folder)) == ""
    assert list(short_folder.iterdir()) == []


def commands_with(words: str) -> str:
    """The command lines of this machine's processes that hold these words."""
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return "\n".join(line.decode(errors="replace") for line in lines if words.encode() in line)


def test_the_same_run_can_be_repeated_with_plain_pytest(
    cluster: SmallCluster, verified: Verified, tmp_path: Path
) -> None:
    nodes = Path(verified.report["logs"]) / "nodes.json"
    report = tmp_path / "plain.xml"
    argv = [sys.executable, "-m", "pytest", "-v", "--import-mode=importlib", "--rootdir", "."]
    done = shell.run(
        [*argv, f"--junitxml={report}", "--nodes", str(nodes), "-k", "root", "tests/infra"],
        cwd=cluster.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout_s=PATIENCE_S,
        check=False,
    )
    for host in (BASTION, *cluster.names):
        assert f"test_it_is_asked_as_root[node://{host}] PASSED" in done.stdout
    assert ElementTree.parse(report).getroot()[0].get("tests") == "2"
