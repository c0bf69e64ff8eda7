"""What the lab's API does as AWS does and plain moto does not, by calls of the AWS SDK."""

from collections import Counter
from ipaddress import IPv4Address
from typing import Any

import pytest

from orchestrate.lab.spec import public_range
from tests.lab.cloud import Cloud, build, newest_debian
from tests.lab.conftest import Account

pytestmark = pytest.mark.lab


@pytest.fixture
def cloud(account: Account) -> Cloud:
    return build(account)


def test_the_access_key_is_the_account(account: Account) -> None:
    assert account.client("sts").get_caller_identity()["Account"] == account.number


def test_accounts_do_not_see_each_other(cloud: Cloud) -> None:
    stranger = Account("999999999999", cloud.account.lab)

    vpcs = stranger.client("ec2").describe_vpcs()["Vpcs"]

    assert cloud.vpc not in [vpc["VpcId"] for vpc in vpcs]


@pytest.mark.parametrize("region", ["us-west-2", "us-east-1", "eu-west-1"])
def test_every_region_has_the_vendors_images(account: Account, region: str) -> None:
    ec2 = account.client("ec2", region)
    jammy = "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"

    found = ec2.describe_images(
        Owners=["099720109477"], Filters=[{"Name": "name", "Values": [jammy]}]
    )["Images"]

    assert newest_debian(ec2)
    assert len({image["CreationDate"] for image in found}) == 2


def test_an_unknown_image_is_refused(cloud: Cloud) -> None:
    with pytest.raises(cloud.ec2.exceptions.ClientError, match="InvalidAMIID"):
        cloud.run(ImageId="ami-00000000000000000")


def test_instances_run_at_once_with_addresses_of_their_subnet(cloud: Cloud) -> None:
    addresses = [cloud.run()["PrivateIpAddress"] for _ in range(3)]

    assert addresses == ["10.1.0.4", "10.1.0.5", "10.1.0.6"]
    assert {one["State"]["Name"] for one in cloud.instances()} == {"running"}


def test_no_two_interfaces_of_a_subnet_share_an_address(cloud: Cloud) -> None:
    ec2, subnet = cloud.ec2, cloud.subnets[0]
    cloud.run()
    elastic = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.create_nat_gateway(SubnetId=subnet, AllocationId=elastic)
    ec2.create_network_interface(SubnetId=subnet)
    ec2.create_network_interface(SubnetId=subnet, PrivateIpAddress="10.1.0.7")
    cloud.run()

    interfaces = ec2.describe_network_interfaces()["NetworkInterfaces"]

    assert sorted(one["PrivateIpAddress"] for one in interfaces) == [
        f"10.1.0.{last}" for last in range(4, 9)
    ]


def test_a_full_subnet_refuses_another_instance_and_reuses_what_is_released(cloud: Cloud) -> None:
    small = cloud.ec2.create_subnet(VpcId=cloud.vpc, CidrBlock="10.1.9.0/28")["Subnet"]["SubnetId"]
    full = cloud.run(SubnetId=small, MinCount=11, MaxCount=11)
    with pytest.raises(cloud.ec2.exceptions.ClientError, match="InsufficientFreeAddresses"):
        cloud.run(SubnetId=small)

    cloud.ec2.terminate_instances(InstanceIds=[full["InstanceId"]])

    assert cloud.run(SubnetId=small)["PrivateIpAddress"] == full["PrivateIpAddress"]


def test_elastic_addresses_are_the_labs_and_distinct_across_regions(account: Account) -> None:
    given = [
        account.client("ec2", region).allocate_address(Domain="vpc")["PublicIp"]
        for region in ("us-west-2", "us-east-1", "us-west-2")
    ]

    assert len(set(given)) == 3
    lab = public_range(account.lab.record.slot)
    assert all(IPv4Address(address) in lab for address in given)


def test_an_elastic_address_survives_stop_and_start(cloud: Cloud) -> None:
    cloud.ec2.modify_subnet_attribute(
        SubnetId=cloud.subnets[0], MapPublicIpOnLaunch={"Value": True}
    )
    instance = cloud.run()["InstanceId"]
    address = _associate(cloud, instance)

    cloud.ec2.stop_instances(InstanceIds=[instance])
    cloud.ec2.start_instances(InstanceIds=[instance])

    assert cloud.instance(instance)["PublicIpAddress"] == address


def test_an_elastic_address_moves_to_the_instance_it_is_reassociated_with(cloud: Cloud) -> None:
    old, new = cloud.run()["InstanceId"], cloud.run()["InstanceId"]
    address = _associate(cloud, old)
    allocation = cloud.ec2.describe_addresses(PublicIps=[address])["Addresses"][0]["AllocationId"]

    cloud.ec2.associate_address(AllocationId=allocation, InstanceId=new, AllowReassociation=True)

    assert cloud.instance(new)["PublicIpAddress"] == address
    assert "PublicIpAddress" not in cloud.instance(old)


def test_a_terminated_instance_leaves_nothing_but_its_elastic_address(cloud: Cloud) -> None:
    instance = cloud.run()["InstanceId"]
    _associate(cloud, instance)

    cloud.ec2.terminate_instances(InstanceIds=[instance])

    assert cloud.ec2.describe_network_interfaces()["NetworkInterfaces"] == []
    assert cloud.ec2.describe_volumes()["Volumes"] == []
    (address,) = cloud.ec2.describe_addresses()["Addresses"]
    assert "AssociationId" not in address


def test_an_instance_may_be_terminated_twice(cloud: Cloud) -> None:
    instance = cloud.run()["InstanceId"]
    cloud.ec2.terminate_instances(InstanceIds=[instance])

    (again,) = cloud.ec2.terminate_instances(InstanceIds=[instance])["TerminatingInstances"]

    assert again["PreviousState"]["Name"] == "terminated"
    assert cloud.instance(instance)["State"]["Name"] == "terminated"


def test_a_deleted_nat_gateway_frees_its_address_and_interface(cloud: Cloud) -> None:
    ec2 = cloud.ec2
    elastic = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=cloud.subnets[0], AllocationId=elastic)["NatGateway"]

    ec2.delete_nat_gateway(NatGatewayId=nat["NatGatewayId"])

    assert "AssociationId" not in ec2.describe_addresses()["Addresses"][0]
    assert ec2.describe_network_interfaces()["NetworkInterfaces"] == []


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


def test_a_zone_made_for_a_vpc_is_private_and_takes_a_second_vpc(cloud: Cloud) -> None:
    route53 = cloud.account.client("route53")
    other = cloud.account.client("ec2", "eu-west-1").create_vpc(CidrBlock="10.2.0.0/16")["Vpc"]
    zone = route53.create_hosted_zone(
        Name="us-west.example.net",
        CallerReference="1",
        VPC={"VPCRegion": "us-west-2", "VPCId": cloud.vpc},
    )["HostedZone"]

    route53.associate_vpc_with_hosted_zone(
        HostedZoneId=zone["Id"], VPC={"VPCRegion": "eu-west-1", "VPCId": other["VpcId"]}
    )

    found = route53.get_hosted_zone(Id=zone["Id"])
    assert found["HostedZone"]["Config"]["PrivateZone"] is True
    assert {vpc["VPCId"] for vpc in found["VPCs"]} == {cloud.vpc, other["VpcId"]}


def test_backups_of_a_file_system_are_switched_on_and_off(account: Account) -> None:
    efs = account.client("efs")
    system = efs.create_file_system(CreationToken="home")["FileSystemId"]

    for status in ("ENABLED", "DISABLED"):
        efs.put_backup_policy(FileSystemId=system, BackupPolicy={"Status": status})
        described = efs.describe_backup_policy(FileSystemId=system)
        assert described["BackupPolicy"] == {"Status": status}


@pytest.mark.parametrize(
    ("service", "operation"),
    [("ec2", "describe_fast_launch_images"), ("autoscaling", "describe_adjustment_types")],
)
def test_what_the_lab_does_not_do_is_said_at_once(
    account: Account, service: str, operation: str
) -> None:
    client = account.client(service)

    with pytest.raises(client.exceptions.ClientError, match="The lab does not do") as refused:
        getattr(client, operation)()

    answer = refused.value.response["ResponseMetadata"]
    assert (answer["HTTPStatusCode"], answer["RetryAttempts"]) == (501, 0)


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


def test_detailed_monitoring_is_switched_on_and_off(cloud: Cloud) -> None:
    instance = cloud.run()["InstanceId"]

    cloud.ec2.monitor_instances(InstanceIds=[instance])
    assert cloud.instance(instance)["Monitoring"]["State"] == "enabled"

    cloud.ec2.unmonitor_instances(InstanceIds=[instance])
    assert cloud.instance(instance)["Monitoring"]["State"] == "disabled"


def _rule(cloud: Cloud, rule: dict[str, Any]) -> dict[str, Any]:
    found = cloud.ec2.describe_security_group_rules(
        SecurityGroupRuleIds=[rule["SecurityGroupRuleId"]]
    )
    return dict(found["SecurityGroupRules"][0])


def _associate(cloud: Cloud, instance: str) -> str:
    given = cloud.ec2.allocate_address(Domain="vpc")
    cloud.ec2.associate_address(AllocationId=given["AllocationId"], InstanceId=instance)
    return str(given["PublicIp"])


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
