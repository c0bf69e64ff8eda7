"""Security groups as AWS has them and plain moto does not."""

from typing import Any

import pytest

from tests.lab.cloud import Cloud

pytestmark = pytest.mark.lab


def test_a_rule_whose_source_is_a_group_keeps_its_description_and_can_be_changed(
    cloud: Cloud,
) -> None:
    source = {"GroupId": cloud.security_group, "Description": "from the bastion"}
    ssh = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "UserIdGroupPairs": [source]}
    (rule,) = cloud.ec2.authorize_security_group_ingress(
        GroupId=cloud.security_group, IpPermissions=[ssh]
    )["SecurityGroupRules"]
    assert _rule(cloud, rule)["Description"] == "from the bastion"

    changed = {
        "IpProtocol": "-1",
        "ReferencedGroupId": cloud.security_group,
        "Description": "all of it",
    }
    cloud.ec2.modify_security_group_rules(
        GroupId=cloud.security_group,
        SecurityGroupRules=[
            {"SecurityGroupRuleId": rule["SecurityGroupRuleId"], "SecurityGroupRule": changed}
        ],
    )

    assert _rule(cloud, rule)["Description"] == "all of it"
    assert _rule(cloud, rule)["ReferencedGroupInfo"]["GroupId"] == cloud.security_group
    assert _rule(cloud, rule)["IpProtocol"] == "-1"


def _rule(cloud: Cloud, rule: dict[str, Any]) -> dict[str, Any]:
    found = cloud.ec2.describe_security_group_rules(
        SecurityGroupRuleIds=[rule["SecurityGroupRuleId"]]
    )
    return dict(found["SecurityGroupRules"][0])


def test_the_default_group_of_a_vpc_lets_its_members_in(cloud: Cloud) -> None:
    filters = [
        {"Name": "vpc-id", "Values": [cloud.vpc]},
        {"Name": "group-name", "Values": ["default"]},
    ]
    (default,) = cloud.ec2.describe_security_groups(Filters=filters)["SecurityGroups"]

    (rule,) = default["IpPermissions"]

    assert rule["IpProtocol"] == "-1"
    assert [pair["GroupId"] for pair in rule["UserIdGroupPairs"]] == [default["GroupId"]]


def test_an_instances_groups_and_source_check_are_its_interfaces(cloud: Cloud) -> None:
    other = cloud.ec2.create_security_group(GroupName="other", Description="o", VpcId=cloud.vpc)
    launched = cloud.run(SecurityGroupIds=[cloud.security_group])
    instance = launched["InstanceId"]
    interface = launched["NetworkInterfaces"][0]["NetworkInterfaceId"]

    cloud.ec2.modify_network_interface_attribute(
        NetworkInterfaceId=interface, Groups=[other["GroupId"]]
    )
    cloud.ec2.modify_network_interface_attribute(
        NetworkInterfaceId=interface, SourceDestCheck={"Value": False}
    )
    assert _groups(cloud.instance(instance)) == {other["GroupId"]}
    assert cloud.instance(instance)["SourceDestCheck"] is False

    cloud.ec2.modify_instance_attribute(InstanceId=instance, Groups=[cloud.security_group])
    cloud.ec2.modify_instance_attribute(InstanceId=instance, SourceDestCheck={"Value": True})
    (seen,) = cloud.ec2.describe_network_interfaces(NetworkInterfaceIds=[interface])[
        "NetworkInterfaces"
    ]
    assert _groups(seen) == {cloud.security_group}
    assert seen["SourceDestCheck"] is True


def test_a_group_that_does_not_exist_is_refused(cloud: Cloud) -> None:
    launched = cloud.run()
    interface = launched["NetworkInterfaces"][0]["NetworkInterfaceId"]
    nobodys = ["sg-00000000000000000"]

    with pytest.raises(cloud.ec2.exceptions.ClientError, match=r"InvalidGroup\.NotFound"):
        cloud.ec2.modify_instance_attribute(InstanceId=launched["InstanceId"], Groups=nobodys)
    with pytest.raises(cloud.ec2.exceptions.ClientError, match=r"InvalidGroup\.NotFound"):
        cloud.ec2.modify_network_interface_attribute(NetworkInterfaceId=interface, Groups=nobodys)


def _groups(described: dict[str, Any]) -> set[str]:
    key = "SecurityGroups" if "SecurityGroups" in described else "Groups"
    return {group["GroupId"] for group in described[key]}
