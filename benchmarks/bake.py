"""Baking an image in the lab with `orchestrate bake`, beside bare Packer doing the same build.

Both converge a Debian with the same archive of one small cookbook, and clean up for the image.
Besides, `orchestrate` tests the instance, boots a second one from the result and tests that,
copies to another region, tags and records: that is the overhead, and what it is for.
"""

import os
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from benchmarks.measure import Measurement, Side, Work, in_turns, program
from orchestrate import environment
from orchestrate.chef import archive, node
from orchestrate.fleet.load import load
from orchestrate.lab.paths import LabFiles
from orchestrate.target import Target
from tests.lab import bakery as bakeries
from tests.lab.bakery import HERE, Bakery
from tests.lab.cloud import newest_debian
from tests.lab.conftest import LabFolder

ROOT = Path(__file__).parents[1]
ROUNDS = 1
# A second boot and two runs of a suite; on AWS, where a build takes minutes, they are seconds too.
TARGET_S = 15.0
BARE = """\
variable "name" { type = string }
source "amazon-ebs" "image" {
  region                  = "%(region)s"
  custom_endpoint_ec2     = "%(endpoint)s"
  ami_name                = var.name
  source_ami              = "%(ami)s"
  instance_type           = "t3.large"
  ssh_username            = "admin"
  temporary_key_pair_type = "ed25519"
  aws_polling {
    delay_seconds = 2
    max_attempts  = 1800
  }
}
build {
  sources = ["source.amazon-ebs.image"]
  provisioner "file" {
    source      = "archive.tar.gz"
    destination = "/tmp/orchestrate-archive.tar.gz"
  }
  provisioner "file" {
    source      = "node.json"
    destination = "/tmp/orchestrate-node.json"
  }
  provisioner "shell" {
    script           = "%(scripts)s/converge.sh"
    environment_vars = ["DIGEST=%(digest)s", "ORCHESTRATE_STAND_IN=1"]
    execute_command  = "chmod +x {{ .Path }}; sudo env {{ .Vars }} {{ .Path }}"
  }
  provisioner "shell" {
    script          = "%(scripts)s/clean.sh"
    execute_command = "chmod +x {{ .Path }}; sudo env {{ .Vars }} LOGIN=admin {{ .Path }}"
  }
}
"""


def measure() -> Iterator[Measurement]:
    """Seconds of each, and of what `orchestrate` does besides."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        lab = LabFolder(LabFiles(Path(name) / "lab"))
        lab.up()
        try:
            repository = Path(name) / "repository"
            repository.mkdir()
            bakery = bakeries.build(lab, repository)
            taken = in_turns(ROUNDS, {"orchestrate": Side(_ours(bakery)), "Packer": _bare(bakery)})
        finally:
            lab.orchestrate("down")
    for who, seconds in taken.items():
        yield Measurement(f"an image baked: {who}", seconds, "s")
    yield Measurement("bake: orchestrate : Packer", taken["orchestrate"] / taken["Packer"], "x")
    more = taken["orchestrate"] - taken["Packer"]
    yield Measurement("bake: what orchestrate does besides", more, "s", TARGET_S)


def _ours(bakery: Bakery) -> Work:
    return lambda: bakery.bake("base", "--force")


def _bare(bakery: Bakery) -> Side:
    folder = bakery.root / "bare"
    folder.mkdir()
    packed = archive.pack(bakery.root / "chef", "base", stand_in=True)
    (folder / "archive.tar.gz").write_bytes(packed.data)
    (folder / "node.json").write_text(node.text(node.baking(load(bakery.root / "fleet"), "base")))
    values = {
        "region": HERE,
        "endpoint": bakery.account.lab.record.endpoint,
        "ami": newest_debian(bakery.ec2()),
        "digest": packed.digest,
        "scripts": ROOT / "packer",
    }
    (folder / "image.pkr.hcl").write_text(BARE % values)
    target = Target("lab", environment=bakery.account.environment)
    packer = {**environment.packer(os.environ, target), "AWS_POLL_DELAY_SECONDS": "2"}
    number = count()

    def build() -> None:
        command = ("packer", "build", "-var", f"name=bare-{next(number)}", ".")
        program("env", "-C", folder, *command, env=packer)()

    return Side(build)
