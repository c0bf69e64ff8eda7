"""Launch templates and auto scaling groups as AWS has them and plain moto does not."""

from collections import Counter
from typing import Any

import pytest

from tests.lab.cloud import Cloud
from tests.lab.conftest import Account

pytestmark = pytest.mark.lab


def test_a_launch_template_gives_all_that_it_says(cloud: Cloud) -> None:
    profile = _instance_profile(cloud.account)
    template = cloud.launch_template(
        SecurityGroupIds=[cloud.security_group],
        IamInstanceProfile={"Name": "nodes"},
        MetadataOptions={"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
        Monitoring={"Enabled": True},
        BlockDeviceMappings=[
            {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 50, "Encrypted": True}}
        ],
        TagSpecifications=[
            {"ResourceType": "volume", "Tags": [{"Key": "of", "Value": "nodes"}]},
        ],
    )
    cloud.group(template, minimum=2)

    for member in cloud.members():
        instance = cloud.instance(member)
        assert instance["IamInstanceProfile"]["Arn"] == profile
        assert instance["MetadataOptions"]["HttpTokens"] == "required"
        assert instance["MetadataOptions"]["HttpPutResponseHopLimit"] == 2
        assert instance["Monitoring"]["State"] == "enabled"
        assert [group["GroupId"] for group in instance["SecurityGroups"]] == [cloud.security_group]
    volumes = cloud.ec2.describe_volumes()["Volumes"]
    assert [(volume["Size"], volume["Encrypted"]) for volume in volumes] == [(50, True)] * 2
    assert all(volume["Tags"] == [{"Key": "of", "Value": "nodes"}] for volume in volumes)


def test_a_group_spreads_over_its_subnets_and_the_fullest_zone_shrinks_first(cloud: Cloud) -> None:
    cloud.group(cloud.launch_template(), minimum=5)
    assert sorted(_zones(cloud).values()) == [1, 2, 2]

    cloud.autoscaling.update_auto_scaling_group(AutoScalingGroupName="nodes", MinSize=0)
    cloud.autoscaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=3)

    assert sorted(_zones(cloud).values()) == [1, 1, 1]
    assert len(cloud.instances()) == 3


def test_a_member_terminated_by_hand_is_replaced(cloud: Cloud) -> None:
    cloud.group(cloud.launch_template(), minimum=3)
    lost = cloud.members()[0]

    cloud.ec2.terminate_instances(InstanceIds=[lost])

    assert len(cloud.members()) == 3
    assert lost not in cloud.members()
    assert sorted(_zones(cloud).values()) == [1, 1, 1]


def test_a_protected_member_stays_when_its_group_shrinks(cloud: Cloud) -> None:
    cloud.group(cloud.launch_template(), minimum=0, DesiredCapacity=3)
    kept = cloud.members()[0]
    cloud.autoscaling.set_instance_protection(
        AutoScalingGroupName="nodes", InstanceIds=[kept], ProtectedFromScaleIn=True
    )

    cloud.autoscaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=1)

    assert cloud.members() == [kept]


def test_a_template_has_the_tags_it_was_given_last(cloud: Cloud) -> None:
    template = cloud.launch_template()

    def tags(**asked: Any) -> dict[str, str]:
        (found,) = cloud.ec2.describe_launch_templates(**asked)["LaunchTemplates"]
        return {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])}

    cloud.ec2.create_tags(
        Resources=[template],
        Tags=[{"Key": "stage", "Value": "trial"}, {"Key": "team", "Value": "a"}],
    )
    assert tags(LaunchTemplateIds=[template]) == {"stage": "trial", "team": "a"}
    cloud.ec2.create_tags(Resources=[template], Tags=[{"Key": "stage", "Value": "production"}])
    assert tags(LaunchTemplateNames=["nodes"]) == {"stage": "production", "team": "a"}
    cloud.ec2.delete_tags(Resources=[template], Tags=[{"Key": "team"}])
    assert tags() == {"stage": "production"}


def test_the_groups_tags_win_over_the_templates(cloud: Cloud) -> None:
    specification = {
        "ResourceType": "instance",
        "Tags": [{"Key": "by", "Value": "template"}, {"Key": "Name", "Value": "node"}],
    }
    template = cloud.launch_template(TagSpecifications=[specification])
    tag = {"Key": "by", "Value": "group", "PropagateAtLaunch": True}
    hidden = {"Key": "hidden", "Value": "yes", "PropagateAtLaunch": False}
    cloud.group(template, minimum=1, Tags=[tag, hidden])

    tags = {tag["Key"]: tag["Value"] for tag in cloud.instances()[0]["Tags"]}

    assert tags["by"] == "group"
    assert tags["Name"] == "node"
    assert tags["aws:autoscaling:groupName"] == "nodes"
    assert "hidden" not in tags


def test_a_mixed_group_buys_its_base_on_demand_and_the_rest_as_spot(cloud: Cloud) -> None:
    cloud.group(cloud.launch_template(), minimum=5, MixedInstancesPolicy=_mixed(cloud, base=2))

    bought = Counter(one.get("InstanceLifecycle", "on-demand") for one in cloud.instances())

    assert bought == {"on-demand": 2, "spot": 3}
    assert {one["InstanceType"] for one in cloud.instances()} == {"g5.12xlarge"}


def test_a_mixed_group_keeps_its_policy_when_only_its_size_changes(cloud: Cloud) -> None:
    cloud.group(cloud.launch_template(), minimum=0, MixedInstancesPolicy=_mixed(cloud, base=2))
    before = _group(cloud)["MixedInstancesPolicy"]

    cloud.autoscaling.update_auto_scaling_group(AutoScalingGroupName="nodes", MaxSize=7)

    assert _group(cloud)["MixedInstancesPolicy"] == before
    assert _group(cloud)["MaxSize"] == 7


def test_a_launch_template_s_own_tags_are_no_part_of_its_data(cloud: Cloud) -> None:
    tags = [{"Key": "team", "Value": "infrastructure"}]
    cloud.ec2.create_launch_template(
        LaunchTemplateName="tagged",
        LaunchTemplateData={"ImageId": cloud.image},
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": tags}],
    )

    versions = cloud.ec2.describe_launch_template_versions(LaunchTemplateName="tagged")
    templates = cloud.ec2.describe_launch_templates(LaunchTemplateNames=["tagged"])

    data = versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    assert not data.get("TagSpecifications")
    assert templates["LaunchTemplates"][0]["Tags"] == tags


def _instance_profile(account: Account) -> str:
    iam = account.client("iam")
    made = iam.create_instance_profile(InstanceProfileName="nodes")
    return str(made["InstanceProfile"]["Arn"])


def _group(cloud: Cloud) -> dict[str, Any]:
    described = cloud.autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=["nodes"])
    return dict(described["AutoScalingGroups"][0])


def _zones(cloud: Cloud) -> Counter[str]:
    return Counter(one["Placement"]["AvailabilityZone"] for one in cloud.instances())


def _mixed(cloud: Cloud, base: int) -> dict[str, Any]:
    template = cloud.ec2.describe_launch_templates()["LaunchTemplates"][0]["LaunchTemplateId"]
    return {
        "LaunchTemplate": {
            "LaunchTemplateSpecification": {"LaunchTemplateId": template, "Version": "1"},
            "Overrides": [{"InstanceType": "g5.12xlarge"}],
        },
        "InstancesDistribution": {
            "OnDemandBaseCapacity": base,
            "OnDemandPercentageAboveBaseCapacity": 0,
        },
    }
