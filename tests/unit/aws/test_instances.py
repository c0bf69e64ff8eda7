"""Instances and groups as plain data, from a real EC2 API in two regions."""

from typing import Any

from orchestrate.aws import groups, instances
from orchestrate.aws.regions import in_each
from orchestrate.aws.session import Session

FLEET = "deeplab"
REGIONS = ["us-west-2", "eu-west-1"]


def launch(session: Session, region: str, *, fleet: str = FLEET) -> str:
    ec2 = session.ec2(region)
    image = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    tags: Any = [{"Key": "fleet", "Value": fleet}, {"Key": "role", "Value": "vpn"}]
    made = ec2.run_instances(
        ImageId=image,
        InstanceType="c5.large",
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[{"ResourceType": "instance", "Tags": tags}],
    )
    return made["Instances"][0]["InstanceId"]


def test_the_fleet_s_instances_of_all_regions_are_found_in_region_order(session: Session) -> None:
    ids = [launch(session, region) for region in REGIONS]
    launch(session, "us-west-2", fleet="another")
    found = instances.describe(session, REGIONS, FLEET)
    assert [one.id for one in found] == ids
    west = found[0]
    assert (west.region, west.type, west.state) == ("us-west-2", "c5.large", "running")
    assert west.zone.startswith("us-west-2")
    assert west.private_ip
    assert west.tags == {"fleet": FLEET, "role": "vpn"}
    assert west.launched.tzinfo is not None


def test_a_terminated_instance_is_no_host_any_more(session: Session) -> None:
    gone = launch(session, "us-west-2")
    session.ec2("us-west-2").terminate_instances(InstanceIds=[gone])
    assert instances.describe(session, ["us-west-2"], FLEET) == []


def test_a_stopped_instance_is_still_one(session: Session) -> None:
    stopped = launch(session, "us-west-2")
    session.ec2("us-west-2").stop_instances(InstanceIds=[stopped])
    (found,) = instances.describe(session, ["us-west-2"], FLEET)
    assert found.state == "stopped"


def test_a_group_knows_its_bounds_and_its_instances(session: Session) -> None:
    ec2, scaling = session.ec2("us-west-2"), session.autoscaling("us-west-2")
    image = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    template = ec2.create_launch_template(
        LaunchTemplateName="cpu",
        LaunchTemplateData={"ImageId": image, "InstanceType": "c5.large"},
    )["LaunchTemplate"]["LaunchTemplateId"]
    for name, fleet in (("deeplab-cpu", FLEET), ("others", "another")):
        scaling.create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=1,
            MaxSize=5,
            DesiredCapacity=2,
            AvailabilityZones=["us-west-2a"],
            LaunchTemplate={"LaunchTemplateId": template, "Version": "1"},
            Tags=[{"Key": "fleet", "Value": fleet, "PropagateAtLaunch": True}],
        )
    (group,) = groups.describe(session, ["us-west-2"], FLEET)
    assert (group.name, group.min, group.max, group.desired) == ("deeplab-cpu", 1, 5, 2)
    launched = instances.describe(session, ["us-west-2"], FLEET)
    assert sorted(group.instances) == sorted(one.id for one in launched)
    assert group.tags == {"fleet": FLEET}


def test_a_region_named_twice_is_asked_once() -> None:
    assert in_each(["b", "a", "b"], lambda region: [region]) == ["b", "a"]
    assert in_each([], lambda region: [region]) == []
