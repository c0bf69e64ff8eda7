"""A daemon that is restarted or killed has the cloud of the one before."""

import json
import os
import signal
import time
from collections.abc import Callable

import pytest

from orchestrate.lab.hosts import missing
from tests.lab.cloud import build
from tests.lab.conftest import Account, LabFolder

pytestmark = pytest.mark.lab
NUMBER = "300000000001"


def fill(lab: LabFolder) -> dict[str, object]:
    """Something of most services, and what can be seen of it."""
    cloud = build(Account(NUMBER, lab))
    cloud.ec2.allocate_address(Domain="vpc")
    cloud.group(cloud.launch_template(), 2)
    account = cloud.account
    account.client("s3").create_bucket(
        Bucket="kept-states", CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
    )
    account.client("s3").put_object(Bucket="kept-states", Key="a.tfstate", Body=b"state" * 10_000)
    account.client("iam").create_role(RoleName="nodes", AssumeRolePolicyDocument="{}")
    account.client("route53").create_hosted_zone(Name="lab.example", CallerReference="1")
    account.client("efs").create_file_system(CreationToken="home", Encrypted=True)
    account.client("kms").create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")
    account.client("kms").create_key()
    return seen(lab)


def seen(lab: LabFolder) -> dict[str, object]:
    account = Account(NUMBER, lab)
    groups = account.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    status = json.loads(lab.orchestrate("status", "--json").stdout)
    state = account.client("s3").get_object(Bucket="kept-states", Key="a.tfstate")
    return {
        "counts": status["counts"],
        "instances": sorted(one["instance_id"] for one in status["instances"]),
        "members": sorted(one["InstanceId"] for one in groups[0]["Instances"]),
        "addresses": account.client("ec2").describe_addresses()["Addresses"],
        "state": state["Body"].read(),
    }


def until(happened: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.1)


def test_a_killed_daemon_s_cloud_is_the_next_one_s_and_lives_on(empty_folder: LabFolder) -> None:
    lab = empty_folder.up("--no-hosts")
    before = fill(empty_folder)
    Account(NUMBER, empty_folder).client("ec2").create_key_pair(KeyName="last-change")
    until(lambda: is_saved(empty_folder, "last-change"))
    os.kill(lab.pid, signal.SIGKILL)
    until(lambda: not lab.alive)

    empty_folder.up("--no-hosts")

    after = seen(empty_folder)
    assert after["counts"]["ec2"].pop("key pairs") == 1  # type: ignore[index]
    assert after == before
    assert "the cloud is not saved" not in empty_folder.files.log.read_text()
    scaling = Account(NUMBER, empty_folder).client("autoscaling")
    scaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=3)
    assert len(seen(empty_folder)["instances"]) == 3  # type: ignore[arg-type]


@pytest.mark.hosts
def test_hosts_of_a_killed_daemon_boot_again_from_their_disks(empty_folder: LabFolder) -> None:
    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    lab = empty_folder.up()
    cloud = build(Account(NUMBER, empty_folder))
    instance = cloud.run()["InstanceId"]
    until(lambda: host_state(empty_folder, instance) == "running", 120)
    disk = empty_folder.files.folder / "hosts" / instance / "disk"
    (disk / "kept").write_text("by the disk")
    identity = (disk / "etc/machine-id").read_text()
    until(lambda: is_saved(empty_folder, instance))
    os.kill(lab.pid, signal.SIGKILL)
    until(lambda: not lab.alive)

    empty_folder.up()

    until(lambda: host_state(empty_folder, instance) == "running", 120)
    assert (disk / "kept").read_text() == "by the disk"
    assert (disk / "etc/machine-id").read_text() == identity
    assert empty_folder.orchestrate("down").code == 0
    assert not disk.exists()


def is_saved(lab: LabFolder, word: str) -> bool:
    """Whether the cloud on disk knows an id or a name. Changes are written some time after them."""
    file = lab.files.cloud
    return file.exists() and word.encode() in file.read_bytes()


def host_state(lab: LabFolder, instance: str) -> str:
    status = json.loads(lab.orchestrate("status", "--json").stdout)
    states: dict[str, str] = {one["instance_id"]: one["host"] for one in status["instances"]}
    return states.get(instance, "")


def test_down_keeps_the_cloud_when_asked_to_and_forgets_it_otherwise(
    empty_folder: LabFolder,
) -> None:
    empty_folder.up("--no-hosts")
    before = fill(empty_folder)

    assert empty_folder.orchestrate("down", "--keep").code == 0
    empty_folder.up("--no-hosts")
    assert seen(empty_folder) == before

    assert empty_folder.orchestrate("down").code == 0
    empty_folder.up("--no-hosts")
    assert json.loads(empty_folder.orchestrate("status", "--json").stdout)["counts"] == {}


def test_a_cloud_of_another_version_is_forgotten(empty_folder: LabFolder) -> None:
    empty_folder.up("--no-hosts")
    fill(empty_folder)
    empty_folder.orchestrate("down", "--keep")
    first, _, held = empty_folder.files.cloud.read_bytes().partition(b"\n")
    other = json.dumps({**json.loads(first), "moto": "0.0.1"}).encode()
    empty_folder.files.cloud.write_bytes(other + b"\n" + held)

    empty_folder.up("--no-hosts")

    assert json.loads(empty_folder.orchestrate("status", "--json").stdout)["counts"] == {}
    assert "of other versions" in empty_folder.files.log.read_text()


def test_reset_empties_a_running_lab(empty_folder: LabFolder) -> None:
    lab = empty_folder.up("--no-hosts")
    fill(empty_folder)
    empty_folder.orchestrate("fault", "add", "throttle", "--service", "iam")

    assert empty_folder.orchestrate("reset").code == 0

    assert empty_folder.record == lab
    assert json.loads(empty_folder.orchestrate("status", "--json").stdout)["counts"] == {}
    assert json.loads(empty_folder.orchestrate("fault", "list", "--json").stdout) == []
