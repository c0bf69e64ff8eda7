"""A fleet of 1,000 clusters: checked, given its addresses, and rendered, in under 10 s.

No lab has so many; who has a tenth of it should never wait. Each cluster has three zones and three
node groups. The commands are run as an operator runs them, reading and writing every file; the
ledger is empty at first, so `addresses --write` gives out 10,000 ranges.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement, program, seconds

ROOT = Path(__file__).resolve().parents[1]
CLUSTERS = 1000
TARGET_S = 10.0

FLEET = """\
name: big
account: "123456789012"
domain: big.example.net
state: {region: us-west-2}
addresses:
  pools:
    cloud:    {range: 10.0.0.0/10}
    sites:    {range: 10.64.0.0/12}
    vpn:      {range: 10.80.0.0/14}
    services: {range: 10.96.0.0/12}
    pods:     {range: 10.128.0.0/9}
images:
  debian-12: {owner: "136693071363", name: debian-12-amd64-*, user: admin}
"""

CLUSTER = """\
name: cluster-{number:04}
region: us-west-2
zones: [us-west-2a, us-west-2b, us-west-2c]
network: {{prefix: 20}}
kubernetes: {{pods_prefix: 20, services_prefix: 24}}
bastion: {{image: debian-12, allow_ssh_from: [0.0.0.0/0]}}
vpn: {{image: debian-12, clients_prefix: 27}}
node_groups:
  cpu: {{role: cpu-worker, image: debian-12, instance_types: [c5.9xlarge], max: 100}}
  spot: {{role: cpu-worker, image: debian-12, instance_types: [c5.9xlarge], capacity: spot, max: 9}}
  gpu: {{role: gpu-worker, image: debian-12, instance_types: [g5.12xlarge], gpus: 4, max: 64}}
storage: {{filesystems: {{home: {{}}}}, buckets: {{results: {{}}}}}}
"""


def write_fleet(root: Path, clusters: int) -> None:
    """The files of a fleet of so many clusters below `root`."""
    folder = root / "fleet" / "clusters"
    folder.mkdir(parents=True)
    (root / "fleet" / "fleet.yaml").write_text(FLEET)
    for number in range(clusters):
        file = folder / f"cluster-{number:04}.yaml"
        file.write_text(CLUSTER.format(number=number))


def measure() -> Iterator[Measurement]:
    """Seconds of each command, and of check and render together."""
    with tempfile.TemporaryDirectory() as folder:
        write_fleet(Path(folder), CLUSTERS)
        here = {**os.environ, "PYTHONPATH": str(ROOT)}
        orchestrate = [sys.executable, "-P", "-m", "orchestrate", "--root", folder]
        give = seconds(program(*orchestrate, "addresses", "--write", env=here))
        check = seconds(program(*orchestrate, "check", env=here))
        render = seconds(program(*orchestrate, "render", env=here))
    yield Measurement("addresses --write", give, "s")
    yield Measurement("check", check, "s")
    yield Measurement("render", render, "s")
    yield Measurement("check and render", check + render, "s", TARGET_S)
