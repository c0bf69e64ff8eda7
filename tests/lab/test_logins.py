"""Real hosts whose login has a shell that isn't sh, or startup files that print, read and exit."""

from collections.abc import Iterator

import pytest

from tests.lab.conftest import LabFolder
from tests.lab.small_cluster import BASTION, CLUSTER, SmallCluster, build, chef_folder

pytestmark = pytest.mark.hosts

RECIPE = """\
file '/srv/greeting' do
  content "it's !! \\\\n hello\\n"
end
"""
SUITE = """\
def test_greeting(host):
    assert host.file("/srv/greeting").content_string == "it's !! \\\\n hello\\n"
"""
PRINTS = r"printf 'hello\r\n\377\376'; echo problem >&2; set -x"
READS = "read answer; echo you said $answer"
EXITS = "echo closed for maintenance; exit 4"


@pytest.fixture(scope="module")
def cluster(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallCluster]:
    """A bastion with tcsh, and workers whose .bashrc prints, reads, and exits."""
    root = tmp_path_factory.mktemp("repository")
    made = build(lab, root, 3)
    try:
        chef_folder(root, {"default": RECIPE}, ["bastion", "cpu-worker"])
        suite = root / "tests" / "infra" / "fixture" / "test_greeting.py"
        suite.parent.mkdir(parents=True)
        suite.write_text(SUITE)
        made.orchestrate("hosts", "--wait", "180", CLUSTER)
        install = "DEBIAN_FRONTEND=noninteractive apt-get -qq install -y tcsh"
        made.says(BASTION, f"sudo apt-get -qq update && sudo {install} >/dev/null 2>&1")
        made.says(BASTION, "echo 'echo hello from tcsh' >.tcshrc; sudo chsh -s /bin/tcsh admin")
        for name, startup in zip(made.names, (PRINTS, READS, EXITS), strict=True):
            made.says(name, f"cat >.bashrc <<'END'\n{startup}\nEND")
        yield made
    finally:
        made.remove()


def test_what_shell_a_login_has_and_what_it_prints_makes_no_difference(
    cluster: SmallCluster,
) -> None:
    assert "hello from tcsh\n6." in cluster.says(BASTION, "echo $tcsh")  # its version
    told = cluster.json("converge", CLUSTER)
    prints, reads, exits = cluster.names
    outcomes = {name: host["outcome"] for name, host in told["hosts"].items()}
    assert outcomes == {
        BASTION: "changed",
        prints: "changed",
        reads: "unreachable",
        exits: "unreachable",
    }
    again = cluster.json("converge", CLUSTER)["hosts"]
    assert {again[name]["outcome"] for name in (BASTION, prints)} == {"unchanged"}


def test_a_shell_that_does_not_run_what_it_is_given_is_said_to_be_that(
    cluster: SmallCluster,
) -> None:
    _, reads, exits = cluster.names
    told = cluster.json("converge", reads, exits)["hosts"]
    causes = {name: host["cause"] for name, host in told.items()}
    assert "login's shell doesn't run what it is given: it waits" in causes[reads]
    assert "ended with exit code 4, and said: closed for maintenance" in causes[exits]


def test_suites_find_the_same_hosts_the_same_way(cluster: SmallCluster) -> None:
    prints, reads, exits = cluster.names
    told = cluster.json("verify", CLUSTER)
    states = {name: host["state"] for name, host in told["hosts"].items()}
    assert states == {
        BASTION: "passed",
        prints: "passed",
        reads: "unreachable",
        exits: "unreachable",
    }
