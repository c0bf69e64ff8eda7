"""Every variable that a shell may have, set to something unkind, from `lab up` to `verify`."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrate import shell
from orchestrate.lab.paths import FOLDER_VARIABLE, LabFiles
from tests.lab import bakery
from tests.lab.conftest import ROOT, LabFolder
from tests.lab.small_cluster import BASTION, CLUSTER, build, chef_folder
from tests.unit.unkind import UNKIND

pytestmark = pytest.mark.hosts

KEPT = ("PATH", "HOME", "ORCHESTRATE_CACHE", "XDG_CACHE_HOME", "ORCHESTRATE_PROVIDER_MIRROR")
RECIPE = "file '/srv/greeting' do\n  content \"hello\\n\"\nend\n"
SUITE = "def test_it(host):\n    assert host.file('/srv/greeting').content_string == 'hello\\n'\n"


@dataclass(frozen=True)
class Shell:
    """An operator's shell in which all is set that may be set."""

    lab: LabFolder

    def orchestrate(self, root: Path, *words: str) -> shell.Finished:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        own = {FOLDER_VARIABLE: str(self.lab.files.folder)}
        return shell.run(
            [str(ROOT / "bin" / "orchestrate"), *words],
            cwd=root,
            env={**UNKIND, **kept, **own},
            timeout_s=600,
            check=False,
        )

    def well(self, root: Path, *words: str, code: int = 0) -> str:
        """What a command prints that must end with this code."""
        done = self.orchestrate(root, *words)
        assert done.code == code, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def unkind(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A lab started from such a shell; the shared one has built what hosts boot from before."""
    folder = tmp_path_factory.mktemp("unkind")
    made = Shell(LabFolder(LabFiles(folder)))
    made.well(folder.parent, "lab", "up")
    yield made
    made.well(folder.parent, "lab", "down")


def test_a_stack_is_planned_and_applied_and_its_image_baked(unkind: Shell, tmp_path: Path) -> None:
    root = bakery.build(unkind.lab, tmp_path).root
    unkind.well(root, "bootstrap")
    unkind.well(root, "plan", "global", code=2)
    unkind.well(root, "apply", "global", "--yes")
    unkind.well(root, "plan", "global")
    assert "global" in unkind.well(root, "status")
    unkind.well(root, "bake", "base")


def test_hosts_are_converged_and_verified(unkind: Shell, tmp_path: Path) -> None:
    cluster = build(unkind.lab, tmp_path, 1)
    chef_folder(tmp_path, {"default": RECIPE}, ["bastion", "cpu-worker"])
    suite = tmp_path / "tests" / "infra" / "fixture" / "test_greeting.py"
    suite.parent.mkdir(parents=True)
    suite.write_text(SUITE)
    unkind.well(tmp_path, "hosts", "--wait", "180", CLUSTER)
    unkind.well(tmp_path, "converge", CLUSTER)
    unkind.well(tmp_path, "verify", CLUSTER)
    assert unkind.well(tmp_path, "ssh", BASTION, "echo in").strip() == "in"
    cluster.remove()
