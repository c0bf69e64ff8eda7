"""Containers in a host: Debian's containerd and runc, with nothing from any registry."""

import base64
from collections.abc import Iterator

import pytest

from orchestrate import shell
from tests.lab.conftest import LabFolder
from tests.lab.machines import Machine, Site, remove_instances, site
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.hosts
IMAGE = "docker.io/library/box:1"
LIMIT = 32 * 2**20
KILLED = 128 + 9
# An image of one layer, as `docker save` writes them: the host's own static busybox.
MAKE_IMAGE = f"""
import hashlib, io, json, tarfile

def add(archive, name, data, **more):
    member = tarfile.TarInfo(name)
    member.size = len(data)
    for key, value in more.items():
        setattr(member, key, value)
    archive.addfile(member, io.BytesIO(data))

layer = io.BytesIO()
with tarfile.open(fileobj=layer, mode="w") as archive:
    add(archive, "bin/busybox", open("/bin/busybox", "rb").read(), mode=0o755)
    for name in ("sh", "echo", "cat", "dd", "tail", "grep"):
        add(archive, "bin/" + name, b"", type=tarfile.SYMTYPE, linkname="busybox")
digest = "sha256:" + hashlib.sha256(layer.getvalue()).hexdigest()
config = {{
    "architecture": "amd64", "os": "linux", "config": {{"Env": ["PATH=/bin"]}},
    "rootfs": {{"type": "layers", "diff_ids": [digest]}},
}}
manifest = [{{"Config": "config.json", "RepoTags": ["{IMAGE}"], "Layers": ["layer.tar"]}}]
with tarfile.open("/tmp/box.tar", "w") as archive:
    add(archive, "layer.tar", layer.getvalue())
    add(archive, "config.json", json.dumps(config).encode())
    add(archive, "manifest.json", json.dumps(manifest).encode())
"""
INSTALL = (
    "sudo sh -c 'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y"
    " --no-install-recommends containerd runc busybox-static' 2>&1"
)


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000080")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def machine(here: Site) -> Machine:
    """A host with containerd running and the image imported."""
    machine = here.launch()
    machine.says(INSTALL, timeout_s=PATIENCE_S)
    made = base64.b64encode(MAKE_IMAGE.encode()).decode()
    machine.says(f"echo {made} | base64 -d | python3 && sudo ctr image import /tmp/box.tar")
    return machine


def contained(machine: Machine, name: str, script: str, *options: str) -> shell.Finished:
    """What a container of the image does with a script."""
    words = ["sudo ctr run --rm", *options, IMAGE, name, f"/bin/sh -c '{script}'"]
    return machine.run(" ".join(words))


def test_a_container_writes_to_a_snapshot_of_its_own_over_the_image(machine: Machine) -> None:
    first = contained(machine, "first", 'grep " / " /proc/mounts; echo here > /mine; cat /mine')
    second = contained(machine, "second", "cat /mine")

    assert first.code == 0, first
    assert first.stdout.startswith("overlay / overlay ")
    assert first.stdout.endswith("here\n")
    assert second.code != 0, "another container has the image as it was"


def test_a_container_beyond_its_memory_limit_is_killed(machine: Machine) -> None:
    limited = f"--memory-limit={LIMIT}"

    within = contained(machine, "modest", "dd if=/dev/zero of=/dev/null bs=4M count=1", limited)
    beyond = contained(machine, "greedy", "tail /dev/zero", limited)

    assert within.code == 0, within
    assert beyond.code == KILLED, beyond
    assert machine.state == "running"
