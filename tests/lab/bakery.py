"""A repository with two small images, in an account of its own, and the command that bakes them."""

import itertools
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrate import shell
from orchestrate.images import catalogue_file
from orchestrate.images.catalogue import Catalogue
from orchestrate.lab.paths import FOLDER_VARIABLE
from tests.lab.conftest import ROOT, Account, LabFolder
from tests.lab.patience import PATIENCE_S
from tests.lab.small_cluster import chef_folder

HERE, ABROAD = "us-west-2", "eu-west-1"
RECIPE = (
    "file '/etc/marker' do\n  content \"#{node['orchestrate']['role']}\\n\"\n  mode '0644'\nend\n"
)
SUITE = '''\
"""What every host of these tests must be."""


def test_the_marker_says_the_role(host, node):
    marker = host.file("/etc/marker")
    assert marker.content_string.strip() == node["role"]
    assert marker.mode == 0o644
'''
BAKED = "\nbaked:\n  base: {parent: debian-12}\n  ssh-node: {parent: base}\n"
_numbers = itertools.count(200_000_000_201)


@dataclass(frozen=True)
class Bakery:
    """The repository at `root`. `base` is used nowhere but by `ssh-node`, that in both regions."""

    root: Path
    account: Account

    def argv(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "orchestrate", *words]

    @property
    def environment(self) -> dict[str, str]:
        own = {FOLDER_VARIABLE: str(self.account.lab.files.folder), "PYTHONPATH": str(ROOT)}
        return {**os.environ, **own}

    def orchestrate(self, *words: str) -> shell.Finished:
        return shell.run(
            self.argv(*words),
            cwd=self.root,
            env=self.environment,
            timeout_s=PATIENCE_S,
            check=False,
        )

    def bake(self, *words: str, code: int = 0) -> Mapping[str, Any]:
        """`orchestrate bake WORDS --json`: what it says of each image."""
        done = self.orchestrate("bake", *words, "--json")
        assert done.code == code, done.stdout + done.stderr
        images: Mapping[str, Any] = json.loads(done.stdout)["images"]
        return images

    @property
    def catalogue(self) -> Catalogue:
        return catalogue_file.read(self.catalogue_path)

    @property
    def catalogue_path(self) -> Path:
        return catalogue_file.path_of(self.root, "lab")

    def ec2(self, region: str = HERE) -> Any:
        return self.account.client("ec2", region)

    def images(self, region: str = HERE) -> list[Any]:
        return list(self.ec2(region).describe_images(Owners=["self"])["Images"])

    def snapshots(self, region: str = HERE) -> list[Any]:
        found = self.ec2(region).describe_snapshots()["Snapshots"]
        return [one for one in found if one["OwnerId"] == self.account.number]

    def instances(self) -> list[Any]:
        """Those that live, or will."""
        pages = self.ec2().describe_instances()["Reservations"]
        every = [one for page in pages for one in page["Instances"]]
        return [one for one in every if one["State"]["Name"] != "terminated"]

    def left(self) -> list[str]:
        """What a bake makes on the way and must take away: instances, key pairs, groups, untagged
        images and snapshots."""
        groups = self.ec2().describe_security_groups()["SecurityGroups"]
        made = [
            *(one["InstanceId"] for one in self.instances()),
            *(one["KeyName"] for one in self.ec2().describe_key_pairs()["KeyPairs"]),
            *(one["GroupName"] for one in groups if one["GroupName"] != "default"),
        ]
        for region in (HERE, ABROAD):
            ours = [*self.images(region), *self.snapshots(region)]
            made += [str(one) for one in ours if not one.get("Tags")]
        return made


def build(lab: LabFolder, root: Path) -> Bakery:
    """The repository; nothing is baked yet."""
    bakery = Bakery(root, Account(str(next(_numbers)), lab))
    # What is there, `init` leaves as it is.
    chef_folder(root, {"default": RECIPE}, ["base", "ssh-node"])
    suite = root / "tests" / "infra" / "fixture" / "test_marker.py"
    suite.parent.mkdir(parents=True)
    suite.write_text(SUITE)
    assert bakery.orchestrate("init").code == 0
    file = root / "fleet" / "fleet.yaml"
    text = file.read_text().replace("123456789012", bakery.account.number)
    file.write_text(text + BAKED)
    cluster = root / "fleet" / "clusters" / "cluster-us-west.yaml"
    west = cluster.read_text().replace(
        "role: ssh-node\n    image: debian-12", "role: ssh-node\n    image: ssh-node"
    )
    cluster.write_text(west)
    europe = west.replace(HERE, ABROAD).replace("cluster-us-west", "cluster-eu-west")
    cluster.with_name("cluster-eu-west.yaml").write_text(europe)
    return bakery
