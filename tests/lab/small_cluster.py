"""A repository whose cluster-us-west is a bastion and a few workers, made by calls of the API.

What Terraform makes of such a cluster is tested elsewhere and takes a minute; this takes seconds.
"""

import itertools
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrate import shell
from orchestrate.lab.paths import FOLDER_VARIABLE
from tests.lab.cloud import newest_debian
from tests.lab.conftest import EXAMPLE, ROOT, Account, LabFolder
from tests.lab.patience import PATIENCE_S

CLUSTER = "cluster-us-west"
BASTION = f"bastion.{CLUSTER}"
GROUP = "cpu"
_numbers = itertools.count(500_000_000_001)


@dataclass
class SmallCluster:
    """The repository at `root`, and the network that instances are launched into."""

    root: Path
    account: Account
    public: str = ""
    private: str = ""
    security_group: str = ""
    workers: list[str] = field(default_factory=list)

    @property
    def ec2(self) -> Any:
        return self.account.client("ec2")

    @property
    def names(self) -> list[str]:
        """The workers' names, in the order they were launched."""
        return [name_of(worker) for worker in self.workers]

    def orchestrate(self, *words: str, check: bool = True) -> shell.Finished:
        """The command, as its users call it, in this repository."""
        return shell.run(
            self.argv(*words), cwd=ROOT, env=self.environment, timeout_s=PATIENCE_S, check=check
        )

    def argv(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "orchestrate", "--root", str(self.root), *words]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, FOLDER_VARIABLE: str(self.account.lab.files.folder)}

    def json(self, *words: str) -> Any:
        """What it prints with --json, whatever its exit code."""
        done = self.orchestrate(*words, "--json", check=False)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def says(self, host: str, command: str) -> str:
        """What a command prints on a host; it must succeed."""
        return self.orchestrate("ssh", host, command).stdout.strip()

    def launch(self, role: str, count: int, tags: Mapping[str, str] = {}) -> list[str]:
        """Instances of a role, as the fleet's own are tagged; their ids."""
        every = {"fleet": "deeplab", "cluster": CLUSTER, "role": role, **tags}
        made = self.ec2.run_instances(
            ImageId=newest_debian(self.ec2),
            InstanceType="t3.small",
            SubnetId=self.public if role == "bastion" else self.private,
            SecurityGroupIds=[self.security_group],
            KeyName="k",
            MinCount=count,
            MaxCount=count,
            TagSpecifications=[{"ResourceType": "instance", "Tags": pairs(every)}],
        )
        return [str(one["InstanceId"]) for one in made["Instances"]]

    def remove(self) -> None:
        """Terminate all there is, auto scaling groups first."""
        scaling = self.account.client("autoscaling")
        for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
            scaling.delete_auto_scaling_group(
                AutoScalingGroupName=group["AutoScalingGroupName"], ForceDelete=True
            )
        found = self.ec2.describe_instances()["Reservations"]
        every = [one["InstanceId"] for group in found for one in group["Instances"]]
        self.ec2.terminate_instances(InstanceIds=every)


def name_of(instance: str) -> str:
    return f"{GROUP}-{instance[-6:]}.{CLUSTER}"


def pairs(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def build(lab: LabFolder, root: Path, workers: int) -> SmallCluster:
    """A new account with the network, the bastion and so many workers; not waited for."""
    account = Account(str(next(_numbers)), lab)
    shutil.copytree(EXAMPLE, root / "fleet")
    file = root / "fleet" / "fleet.yaml"
    file.write_text(file.read_text().replace("123456789012", account.number))
    cluster = SmallCluster(root, account)
    _network(cluster)
    (bastion,) = cluster.launch("bastion", 1)
    address = cluster.ec2.allocate_address(Domain="vpc")["AllocationId"]
    cluster.ec2.associate_address(AllocationId=address, InstanceId=bastion)
    if workers:
        cluster.workers = cluster.launch("cpu-worker", workers, {"group": GROUP})
    return cluster


def _network(cluster: SmallCluster) -> None:
    """As the module `network` makes it, without NAT: nothing here needs the internet."""
    ec2 = cluster.ec2
    vpc = ec2.create_vpc(CidrBlock="10.3.0.0/16")["Vpc"]["VpcId"]
    cluster.public, cluster.private = (
        ec2.create_subnet(VpcId=vpc, CidrBlock=net, AvailabilityZone="us-west-2a")["Subnet"][
            "SubnetId"
        ]
        for net in ("10.3.96.0/24", "10.3.0.0/19")
    )
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    ec2.associate_route_table(RouteTableId=table, SubnetId=cluster.public)
    group = ec2.create_security_group(GroupName="ssh", Description="ssh", VpcId=vpc)["GroupId"]
    ec2.authorize_security_group_ingress(
        GroupId=group, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
    )
    lab = cluster.account.lab
    ec2.import_key_pair(KeyName="k", PublicKeyMaterial=lab.files.public_key.read_bytes())
    cluster.security_group = group


def chef_folder(root: Path, recipes: Mapping[str, str], roles: Iterable[str]) -> Path:
    """`root`/chef with the real client, and one cookbook `fixture` that every role runs."""
    chef = root / "chef"
    for part in ("client", "stand-in"):
        shutil.copytree(ROOT / "chef" / part, chef / part)
    cookbook = chef / "cookbooks" / "fixture"
    (cookbook / "recipes").mkdir(parents=True)
    (cookbook / "metadata.rb").write_text("name 'fixture'\nversion '1.0.0'\nchef_version '>= 16'\n")
    for name, text in recipes.items():
        (cookbook / "recipes" / f"{name}.rb").write_text(text)
    (chef / "roles").mkdir()
    for role in roles:
        content = {
            "name": role,
            "json_class": "Chef::Role",
            "chef_type": "role",
            "run_list": ["recipe[fixture]"],
        }
        (chef / "roles" / f"{role}.json").write_text(json.dumps(content))
    return chef
