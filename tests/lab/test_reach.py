"""Hosts found, waited for and logged in to by their names, with real instances behind a bastion."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate import shell
from tests.lab.conftest import LabFolder
from tests.lab.patience import PATIENCE_S
from tests.lab.small_cluster import BASTION, CLUSTER, SmallCluster, build

pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def reached(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallCluster]:
    """A bastion and a worker in a private subnet."""
    found = build(lab, tmp_path_factory.mktemp("repository"), 1)
    try:
        waited = found.orchestrate("hosts", "--wait", "180", CLUSTER)
        assert f"answers  {BASTION}" in waited.stderr
        assert f"answers  {found.names[0]}" in waited.stderr
        yield found
    finally:
        found.remove()


def test_a_private_host_is_logged_in_to_through_the_bastion(reached: SmallCluster) -> None:
    told = reached.orchestrate(
        "ssh", "cpu.cluster-us-west", "echo $SSH_CONNECTION; exit 3", check=False
    )
    assert told.code == 3
    assert told.stdout.split()[0].startswith("10.3.96."), told.stderr
    (host,) = json.loads(reached.orchestrate("hosts", reached.workers[0], "--json").stdout)
    assert told.stdout.split()[2] == host["private_ip"]


def test_keys_are_known_by_instance_and_a_changed_one_is_refused(reached: SmallCluster) -> None:
    known = reached.root / ".orchestrate" / "ssh" / "lab" / "known_hosts"
    kept = known.read_text()
    aliases = {line.split()[0] for line in kept.splitlines()}
    assert reached.workers[0] in aliases
    assert not any(alias[0].isdigit() for alias in aliases)
    # Both get the key of the first line: one of them is now another's.
    key = kept.splitlines()[0].split(" ", 1)[1]
    known.write_text("".join(f"{alias} {key}\n" for alias in sorted(aliases)))
    try:
        waited = reached.orchestrate("hosts", "--wait", "0", "cluster-us-west", check=False)
        assert "shows another key" in waited.stderr
        logged_in = reached.orchestrate("ssh", reached.workers[0], "true", check=False)
        assert logged_in.code == 255
    finally:
        known.write_text(kept)


def test_plain_scp_works_with_the_printed_configuration(
    reached: SmallCluster, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.write_text(reached.orchestrate("hosts", "cpu", "--ssh-config").stdout)
    (tmp_path / "file").write_text("carried")
    shell.run(
        ["scp", "-F", str(config), str(tmp_path / "file"), f"{reached.names[0]}:carried"],
        timeout_s=PATIENCE_S,
    )
    assert reached.orchestrate("ssh", reached.names[0], "cat carried").stdout == "carried"
