"""AMIs: found, copied with their tags, removed; against the lab's own API."""

from ipaddress import IPv4Network
from pathlib import Path

from orchestrate.aws import bench, image_uses, images
from orchestrate.aws.bench import Bench
from orchestrate.aws.images import Ami
from orchestrate.aws.session import Session
from orchestrate.fleet.load import load

EXAMPLE = Path(__file__).parents[2] / "golden" / "example" / "fleet"
WEST, EAST = "us-west-2", "us-east-1"
DEBIAN = "136693071363"
EVERYBODY = IPv4Network("0.0.0.0/0")
BAKE = "orchestrate:bake"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDa0a7bsxZ8SfrOMRoE5aXgEpcASUx/nH6bNq11BAKII bake"


def vendor(session: Session, name: str = "debian-12-amd64-*") -> Ami | None:
    return images.newest(session, WEST, owner=DEBIAN, name=name, architecture="x86_64")


def set_up(session: Session, run: str = "run-1") -> Bench:
    subnet = bench.default_subnet(session, WEST)
    assert subnet
    return bench.set_up(
        session, f"bake-{run}", subnet, public_key=KEY, ssh_from=[EVERYBODY], tags={BAKE: run}
    )


def launched(session: Session, on: Bench) -> str:
    source = vendor(session)
    assert source
    return bench.launch(session, on, ami=source.id, instance_type="t3.large", name="one")


def image(session: Session) -> Ami:
    instance = launched(session, set_up(session))
    session.ec2(WEST).create_image(InstanceId=instance, Name="deeplab-base-1")
    (made,) = images.named(session, WEST, ["deeplab-base-1"])
    return made


def snapshots(session: Session, region: str) -> list[str]:
    found = session.ec2(region).describe_snapshots(OwnerIds=["123456789012"])["Snapshots"]
    return [one["SnapshotId"] for one in found]


def test_the_newest_of_a_vendor_is_taken(session: Session) -> None:
    found = vendor(session)
    assert found and found.name == "debian-12-amd64-20250814-2204"
    assert (found.root_device, found.architecture) == ("/dev/xvda", "x86_64")
    assert found.disk_gb > 0
    assert vendor(session, "debian-9-*") is None


# Of each of the fleet's images: whom it lets in, and the vendor's newest that is meant.
MEANT = {
    "debian-12": ("admin", "debian-12-amd64-20250814-2204"),
    "ubuntu-22.04": ("ubuntu", "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-20250822"),
}


def test_the_fleets_names_find_what_is_meant_among_newer_ones_that_are_not(
    session: Session,
) -> None:
    found = {}
    for name, source in load(EXAMPLE).file.images.items():
        ami = images.newest(
            session, EAST, owner=source.owner, name=source.name, architecture="x86_64"
        )
        found[name] = (source.user, ami and ami.name)
    assert found == {name: MEANT[name] for name in found}
    assert found


def test_a_copy_and_its_snapshot_have_their_tags_from_the_beginning(session: Session) -> None:
    made = image(session)
    copy = images.copy(session, made, EAST, description="base", tags={"fleet": "deeplab"})
    (found,) = images.existing(session, [(EAST, copy), (EAST, "ami-00000000")])
    assert (found.name, found.tags) == (made.name, {"fleet": "deeplab"})
    described = session.ec2(EAST).describe_snapshots(SnapshotIds=list(found.snapshots))
    assert described["Snapshots"][0]["Tags"] == [{"Key": "fleet", "Value": "deeplab"}]


def test_an_ami_goes_with_its_snapshots_and_may_be_gone_already(session: Session) -> None:
    made = image(session)
    assert set(made.snapshots) <= set(snapshots(session, WEST))
    images.remove(session, made)
    images.remove(session, made)
    assert images.named(session, WEST, [made.name]) == []
    assert not set(made.snapshots) & set(snapshots(session, WEST))


def test_a_bench_and_all_its_instances_are_cleared_and_nothing_else(session: Session) -> None:
    mine, other = set_up(session), set_up(session, "run-2")
    mine_too, others = launched(session, mine), launched(session, other)
    assert bench.public_address(session, mine, mine_too)
    cleared = bench.clear(session, WEST, BAKE, "run-1")
    assert cleared == [mine_too, f"security group {mine.security_group}", "key pair bake-run-1"]
    assert bench.clear(session, WEST, BAKE, "run-1") == []
    assert bench.instances(session, WEST, BAKE, "run-2") == [others]


def test_s15_templates_groups_and_instances_are_uses_of_an_image(session: Session) -> None:
    made = image(session)
    ec2, autoscaling = session.ec2(WEST), session.autoscaling(WEST)
    ec2.create_launch_template(
        LaunchTemplateName="cpu",
        LaunchTemplateData={"ImageId": made.id, "InstanceType": "t3.small"},
    )
    for _ in range(2):
        ec2.create_launch_template_version(
            LaunchTemplateName="cpu",
            LaunchTemplateData={"ImageId": "ami-0ffffffff", "InstanceType": "t3.small"},
        )
    ec2.modify_launch_template(LaunchTemplateName="cpu", DefaultVersion="3")
    used = {use.by for use in image_uses.describe(session, [WEST, EAST]) if use.ami == made.id}
    assert used == set(), "version 1 is neither the default nor the latest"

    subnet = bench.default_subnet(session, WEST)
    assert subnet
    autoscaling.create_auto_scaling_group(
        AutoScalingGroupName="workers",
        MinSize=0,
        MaxSize=1,
        VPCZoneIdentifier=subnet.id,
        LaunchTemplate={"LaunchTemplateName": "cpu", "Version": "1"},
    )
    started = ec2.run_instances(ImageId=made.id, MinCount=1, MaxCount=1, SubnetId=subnet.id)
    used = {use.by for use in image_uses.describe(session, [WEST, EAST]) if use.ami == made.id}
    instance = started["Instances"][0]["InstanceId"]
    assert used == {"launch template cpu, version 1", "group workers", f"instance {instance}"}
