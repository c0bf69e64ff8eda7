"""The main job, end to end: real Terraform, the real AWS provider, a real API, real hosts.

One fleet goes through its life in the order of this file: interrupted, resumed, planned again,
scaled, guarded, destroyed.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrate import shell
from orchestrate.lab.paths import FOLDER_VARIABLE
from tests.lab.conftest import EXAMPLE, ROOT, Account, LabFolder
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.lab

STACKS = {"global", "cluster-eu-west", "cluster-us-east", "cluster-us-west", "mesh"}
REGIONS = ("us-west-2", "us-east-1", "eu-west-1")
CLUSTERS = ("cluster-us-west", "cluster-us-east", "cluster-eu-west")


@dataclass(frozen=True)
class Checkout:
    """The example fleet in a folder of its own, acted on as its users do."""

    root: Path
    lab: LabFolder

    def orchestrate(self, *arguments: str) -> shell.Finished:
        return shell.run(
            self.argv(*arguments),
            cwd=self.root,
            env=self.environment,
            timeout_s=PATIENCE_S,
            check=False,
        )

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "orchestrate", *arguments]

    @property
    def environment(self) -> dict[str, str]:
        own = {FOLDER_VARIABLE: str(self.lab.files.folder), "PYTHONPATH": str(ROOT)}
        return {**os.environ, **own}

    def json(self, *arguments: str) -> Any:
        done = self.orchestrate(*arguments, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    @property
    def account(self) -> Account:
        return Account("123456789012", self.lab)


@pytest.fixture(scope="module")
def a_lab(request: pytest.FixtureRequest) -> LabFolder:
    """A lab with real hosts where they can be had, else the API alone."""
    from orchestrate.lab.hosts import missing

    lab: LabFolder = request.getfixturevalue("lab_api" if missing() else "lab")
    return lab


@pytest.fixture(scope="module")
def checkout(a_lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(EXAMPLE, root / "fleet")
    checkout = Checkout(root, a_lab)
    assert checkout.orchestrate("bootstrap").code == 0
    yield checkout
    checkout.orchestrate(
        "destroy", "--all", "--yes", *(f"--destroy-data={stack}/*" for stack in STACKS)
    )


def wait_for(what: str, happened: Callable[[], object], seconds: float = 180) -> None:
    """Until it has happened; a test that waits for ever would hide that it never does."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds:.0f} s"
        time.sleep(0.2)


def instances(checkout: Checkout, region: str) -> list[Any]:
    found = checkout.account.client("ec2", region).describe_instances()
    alive = [i for r in found["Reservations"] for i in r["Instances"]]
    return [i for i in alive if i["State"]["Name"] not in ("terminated", "shutting-down")]


def test_a_second_bootstrap_changes_nothing(checkout: Checkout) -> None:
    assert not any(step["changed"] for step in checkout.json("bootstrap")["steps"])


def test_s1_ctrl_c_in_a_parallel_apply_ends_every_stack_in_order(checkout: Checkout) -> None:
    process = subprocess.Popen(
        checkout.argv("apply", "--all", "--yes"),
        cwd=checkout.root,
        env=checkout.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for("two clusters being applied", lambda: len(being_applied(checkout)) >= 2)
    finally:
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, err
    assert "stopping" in err
    assert "interrupted" in out
    assert "to do what is left: orchestrate apply" in out
    last = checkout.json("runs", "last")
    assert last["exit_code"] == 130
    assert {s for s, r in last["stacks"].items() if r["state"] == "interrupted"}
    assert not any(stack["lock"] for stack in checkout.json("status"))


def being_applied(checkout: Checkout) -> list[str]:
    """The clusters whose state is locked for an apply now."""
    locks = [stack["lock"] for stack in checkout.json("status") if stack["stack"] in CLUSTERS]
    return [lock["stack"] for lock in locks if lock and lock["operation"] == "Apply"]


def test_what_was_interrupted_is_resumed_and_all_stacks_end_applied(checkout: Checkout) -> None:
    done = checkout.orchestrate("apply", "--resume", "--yes")
    assert done.code == 0, done.stdout + done.stderr
    status = {each["stack"]: each for each in checkout.json("status")}
    assert set(status) == STACKS
    assert {each["standing"] for each in status.values()} == {"applied"}


def test_a_plan_after_the_apply_says_no_changes_for_every_stack(checkout: Checkout) -> None:
    done = checkout.orchestrate("plan", "--all", "--json")
    plans = json.loads(done.stdout)["plans"]
    assert {stack: plan["changes"] for stack, plan in plans.items()} == {s: [] for s in STACKS}
    assert all(plan["empty"] and not plan["warnings"] for plan in plans.values())
    assert done.code == 0


def test_file_systems_let_in_hosts_alone_over_tls_by_access_point_and_nobody_as_root(
    checkout: Checkout,
) -> None:
    efs = checkout.account.client("efs", "eu-west-1")
    (system,) = efs.describe_file_systems()["FileSystems"]
    shown = efs.describe_file_system_policy(FileSystemId=system["FileSystemId"])["Policy"]
    rules = {rule["Sid"]: rule for rule in json.loads(shown)["Statement"]}
    denied = {sid: rule["Action"] for sid, rule in rules.items() if rule["Effect"] == "Deny"}
    assert denied == {
        "OnlyOverTls": "elasticfilesystem:Client*",
        "NobodyIsRoot": "elasticfilesystem:ClientRootAccess",
    }
    (allowed,) = (rule for rule in rules.values() if rule["Effect"] == "Allow")
    assert all(":role/" in role for role in allowed["Principal"]["AWS"])
    assert "elasticfilesystem:AccessPointArn" in allowed["Condition"]["StringLike"]
    # Of the fleet's people, ada is an administrator, whose home is nowhere shared.
    points = efs.describe_access_points(FileSystemId=system["FileSystemId"])["AccessPoints"]
    assert [(one["RootDirectory"]["Path"], one["PosixUser"]["Uid"]) for one in points] == [
        ("/grace", 2002)
    ]


def test_hosts_answer_at_their_doors_and_through_the_bastion(checkout: Checkout) -> None:
    if not checkout.lab.record.hosts:
        pytest.skip("the lab has no real hosts here")
    listed = checkout.json("hosts", "cluster-us-west", "--wait", "60")
    roles = {host["role"]: host["name"] for host in listed}
    assert {"bastion", "vpn", "ssh-node", "cpu-worker"} <= set(roles)
    for role in ("bastion", "cpu-worker"):
        said = checkout.orchestrate("ssh", roles[role], "hostname", "-I")
        address = next(host["private_ip"] for host in listed if host["name"] == roles[role])
        assert address in said.stdout.split(), said.stderr


def test_an_asg_that_is_scaled_brings_hosts_and_takes_them_away(checkout: Checkout) -> None:
    scaling = checkout.account.client("autoscaling", "eu-west-1")
    groups = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    group = next(g for g in groups if g["AutoScalingGroupName"].endswith("-cpu"))
    name, before = group["AutoScalingGroupName"], len(instances(checkout, "eu-west-1"))
    scaling.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=2)
    assert len(instances(checkout, "eu-west-1")) == before + 2
    if checkout.lab.record.hosts:
        found = checkout.json("hosts", "cluster-eu-west", "--wait", "60")
        assert len([host for host in found if host["group"] == "cpu"]) == 2
    # The autoscaler owns desired capacity: Terraform sees nothing to put right.
    assert checkout.orchestrate("plan", "cluster-eu-west").code == 0
    scaling.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=0)
    assert len(instances(checkout, "eu-west-1")) == before


def test_s3_a_saved_plan_is_applied_exactly_and_refused_once_the_state_has_moved(
    checkout: Checkout,
) -> None:
    cluster = checkout.root / "fleet" / "clusters" / "cluster-us-east.yaml"
    cluster.write_text(cluster.read_text().replace("max: 100", "max: 120"))
    saved = str(checkout.root / "friday.plan")
    assert checkout.orchestrate("plan", "cluster-us-east", "--save", saved).code == 2
    first = checkout.json("apply", "--plan", saved, "--yes")
    assert first["results"]["cluster-us-east"]["changed"] == 1
    again = checkout.orchestrate("apply", "--plan", saved, "--yes")
    assert again.code == 1
    assert "gone stale" in again.stderr
    assert "cluster-us-east: the state has moved on" in again.stderr


def test_s7_a_shared_stack_with_living_dependents_is_not_destroyed(checkout: Checkout) -> None:
    done = checkout.orchestrate("destroy", "global", "--yes")
    assert done.code == 1
    assert "global is needed by cluster-eu-west, cluster-us-east, cluster-us-west" in done.stderr


def test_data_is_not_destroyed_unless_it_is_named(checkout: Checkout) -> None:
    named = ("--destroy-data", "cluster-eu-west/efs/home")
    done = checkout.orchestrate("destroy", "mesh", "cluster-eu-west", "--yes", *named)
    assert done.code == 1
    assert "--destroy-data cluster-eu-west/bucket/datasets" in done.stderr
    assert {each["standing"] for each in checkout.json("status")} == {"applied"}


def test_a_cluster_whose_file_was_deleted_first_goes_by_its_name_with_its_own_links(
    checkout: Checkout,
) -> None:
    (checkout.root / "fleet" / "clusters" / "cluster-eu-west.yaml").unlink()
    assert (
        "cluster-eu-west.yaml: warning: this file is gone" in checkout.orchestrate("check").stdout
    )
    planned = checkout.json("plan", "--all")
    assert planned["left_behind"] == ["cluster-eu-west"]
    taken = planned["plans"]["mesh"]["changes"]
    assert {change["action"] for change in taken} == {"destroy"}
    assert all("cluster-eu-west" in change["address"] for change in taken)
    named = "--destroy-data=cluster-eu-west/*"
    done = checkout.json("destroy", "cluster-eu-west", "--yes", named)
    assert {name: one["outcome"] for name, one in done["results"].items()} == {
        "cluster-eu-west": "done",
        "mesh": "done",
    }
    assert done["results"]["mesh"]["destroyed"] == len(taken)
    assert what_is_left(checkout, "eu-west-1") == {}
    again = checkout.json("destroy", "cluster-eu-west", "--yes")
    assert again["results"]["cluster-eu-west"]["outcome"] == "nothing to do"
    # The others' links are as they were, and nothing is left to be put right.
    assert checkout.json("plan", "--all")["exit_code"] == 0


def test_destroying_everything_leaves_the_api_empty(checkout: Checkout) -> None:
    named = [f"--destroy-data={stack}/*" for stack in STACKS]
    done = checkout.orchestrate("destroy", "--all", "--yes", *named)
    assert done.code == 0, done.stdout + done.stderr
    assert {region: what_is_left(checkout, region) for region in REGIONS} == {
        region: {} for region in REGIONS
    }
    everywhere = checkout.account
    assert everywhere.client("route53").list_hosted_zones()["HostedZones"] == []
    assert everywhere.client("iam").list_roles()["Roles"] == []
    assert everywhere.client("iam").list_policies(Scope="Local")["Policies"] == []
    buckets = everywhere.client("s3").list_buckets()["Buckets"]
    assert len(buckets) == 1, "the states themselves stay"


def what_is_left(checkout: Checkout, region: str) -> dict[str, list[Any]]:
    """What exists in a region beyond what AWS gives every account."""
    ec2 = checkout.account.client("ec2", region)
    scaling = checkout.account.client("autoscaling", region)
    groups = ec2.describe_security_groups()["SecurityGroups"]
    found = {
        "instances": instances(checkout, region),
        "vpcs": [v for v in ec2.describe_vpcs()["Vpcs"] if not v["IsDefault"]],
        "addresses": ec2.describe_addresses()["Addresses"],
        "volumes": ec2.describe_volumes()["Volumes"],
        "interfaces": ec2.describe_network_interfaces()["NetworkInterfaces"],
        "key pairs": ec2.describe_key_pairs()["KeyPairs"],
        "launch templates": ec2.describe_launch_templates()["LaunchTemplates"],
        "security groups": [g for g in groups if g["GroupName"] != "default"],
        "groups": scaling.describe_auto_scaling_groups()["AutoScalingGroups"],
        "file systems": checkout.account.client("efs", region).describe_file_systems()[
            "FileSystems"
        ],
    }
    return {what: each for what, each in found.items() if each}
