"""Things that something else needs: what is deleted in vain, and what ends the need."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.unit.lab.gaps.test_twice import GROUP, POLICY, TRUST, Cloud

Delete = Callable[[], Any]
# Of each: what is deleted in vain, with the code of AWS's refusal; then that need is taken away.
Case = Callable[[Cloud], Iterator[tuple[Delete, str]]]
DEPENDENCY = "DependencyViolation"


def address(cloud: Cloud) -> str:
    return str(cloud.ec2.allocate_address(Domain="vpc")["AllocationId"])


def interface(cloud: Cloud, *groups: str) -> str:
    given = {"Groups": list(groups)} if groups else {}
    made = cloud.ec2.create_network_interface(SubnetId=cloud.subnet, **given)
    return str(made["NetworkInterface"]["NetworkInterfaceId"])


def group(cloud: Cloud, name: str = "nodes") -> str:
    made = cloud.ec2.create_security_group(GroupName=name, Description="x", VpcId=cloud.vpc)
    return str(made["GroupId"])


def instance(cloud: Cloud, **more: Any) -> str:
    image = cloud.ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    made = cloud.ec2.run_instances(
        ImageId=image, MinCount=1, MaxCount=1, SubnetId=cloud.subnet, **more
    )
    return str(made["Instances"][0]["InstanceId"])


def nat(cloud: Cloud) -> tuple[str, str]:
    """A NAT gateway and its address."""
    own = address(cloud)
    made = cloud.ec2.create_nat_gateway(SubnetId=cloud.subnet, AllocationId=own)
    return made["NatGateway"]["NatGatewayId"], own


def address_of_a_nat_gateway(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    gateway, own = nat(cloud)
    yield partial(cloud.ec2.release_address, AllocationId=own), "InvalidIPAddress.InUse"
    cloud.ec2.delete_nat_gateway(NatGatewayId=gateway)


def address_of_an_instance(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    host, own = instance(cloud), address(cloud)
    cloud.ec2.associate_address(InstanceId=host, AllocationId=own)
    yield partial(cloud.ec2.release_address, AllocationId=own), "InvalidIPAddress.InUse"
    cloud.ec2.terminate_instances(InstanceIds=[host])


def address_of_an_interface(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    own = address(cloud)
    tie = cloud.ec2.associate_address(NetworkInterfaceId=interface(cloud), AllocationId=own)
    yield partial(cloud.ec2.release_address, AllocationId=own), "InvalidIPAddress.InUse"
    cloud.ec2.disassociate_address(AssociationId=tie["AssociationId"])


def subnet_of_a_nat_gateway(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    gateway, _ = nat(cloud)
    yield partial(cloud.ec2.delete_subnet, SubnetId=cloud.subnet), DEPENDENCY
    cloud.ec2.delete_nat_gateway(NatGatewayId=gateway)


def subnet_of_an_instance(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    host = instance(cloud)
    yield partial(cloud.ec2.delete_subnet, SubnetId=cloud.subnet), DEPENDENCY
    cloud.ec2.terminate_instances(InstanceIds=[host])


def subnet_of_a_mount_target(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    efs = cloud._client("efs")
    system = efs.create_file_system(CreationToken="x")["FileSystemId"]
    target = efs.create_mount_target(FileSystemId=system, SubnetId=cloud.subnet)
    yield partial(cloud.ec2.delete_subnet, SubnetId=cloud.subnet), DEPENDENCY
    efs.delete_mount_target(MountTargetId=target["MountTargetId"])


def gateway_of_public_addresses(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    cloud.gateway()
    (door,) = cloud.ec2.describe_internet_gateways(
        Filters=[{"Name": "attachment.vpc-id", "Values": [cloud.vpc]}]
    )["InternetGateways"]
    cloud.ec2.modify_subnet_attribute(SubnetId=cloud.subnet, MapPublicIpOnLaunch={"Value": True})
    host = instance(cloud)
    named = {"InternetGatewayId": door["InternetGatewayId"], "VpcId": cloud.vpc}
    yield partial(cloud.ec2.detach_internet_gateway, **named), DEPENDENCY
    cloud.ec2.terminate_instances(InstanceIds=[host])


def group_of_an_interface(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    own = group(cloud)
    member = interface(cloud, own)
    yield partial(cloud.ec2.delete_security_group, GroupId=own), DEPENDENCY
    cloud.ec2.delete_network_interface(NetworkInterfaceId=member)


def group_of_an_instance(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    own = group(cloud)
    host = instance(cloud, SecurityGroupIds=[own])
    yield partial(cloud.ec2.delete_security_group, GroupId=own), DEPENDENCY
    cloud.ec2.terminate_instances(InstanceIds=[host])


def group_that_another_names(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    own, other = group(cloud), group(cloud, "doors")
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}
    rules = {"IpPermissions": [{**rule, "UserIdGroupPairs": [{"GroupId": own}]}]}
    cloud.ec2.authorize_security_group_ingress(GroupId=own, **rules)  # its own rule holds nobody
    cloud.ec2.authorize_security_group_ingress(GroupId=other, **rules)
    yield partial(cloud.ec2.delete_security_group, GroupId=own), DEPENDENCY
    cloud.ec2.revoke_security_group_ingress(GroupId=other, **rules)


def vpc_with_a_group(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    own = group(cloud)
    cloud.ec2.delete_subnet(SubnetId=cloud.subnet)
    yield partial(cloud.ec2.delete_vpc, VpcId=cloud.vpc), DEPENDENCY
    cloud.ec2.delete_security_group(GroupId=own)


def vpc_with_an_endpoint(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    cloud.ec2.delete_subnet(SubnetId=cloud.subnet)
    name = "com.amazonaws.us-west-2.s3"
    made = cloud.ec2.create_vpc_endpoint(VpcId=cloud.vpc, ServiceName=name)["VpcEndpoint"]
    yield partial(cloud.ec2.delete_vpc, VpcId=cloud.vpc), DEPENDENCY
    cloud.ec2.delete_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])


def vpc_with_a_network_acl(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    cloud.ec2.delete_subnet(SubnetId=cloud.subnet)
    made = cloud.ec2.create_network_acl(VpcId=cloud.vpc)["NetworkAcl"]["NetworkAclId"]
    yield partial(cloud.ec2.delete_vpc, VpcId=cloud.vpc), DEPENDENCY
    cloud.ec2.delete_network_acl(NetworkAclId=made)


def interface_that_is_attached(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    own, host = interface(cloud), instance(cloud)
    tie = cloud.ec2.attach_network_interface(NetworkInterfaceId=own, InstanceId=host, DeviceIndex=1)
    delete = partial(cloud.ec2.delete_network_interface, NetworkInterfaceId=own)
    yield delete, "InvalidParameterValue"
    cloud.ec2.detach_network_interface(AttachmentId=tie["AttachmentId"])


def customer_gateway_of_a_vpn(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    customer, _, vpn = site_vpn(cloud)
    delete = partial(cloud.ec2.delete_customer_gateway, CustomerGatewayId=customer)
    yield delete, "IncorrectState"
    cloud.ec2.delete_vpn_connection(VpnConnectionId=vpn)


def vpn_gateway_of_a_vpn(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    _, own, vpn = site_vpn(cloud)
    yield partial(cloud.ec2.delete_vpn_gateway, VpnGatewayId=own), "IncorrectState"
    cloud.ec2.delete_vpn_connection(VpnConnectionId=vpn)


def vpn_gateway_of_a_vpc(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    own = cloud.ec2.create_vpn_gateway(Type="ipsec.1")["VpnGateway"]["VpnGatewayId"]
    cloud.ec2.attach_vpn_gateway(VpcId=cloud.vpc, VpnGatewayId=own)
    yield partial(cloud.ec2.delete_vpn_gateway, VpnGatewayId=own), "IncorrectState"
    cloud.ec2.detach_vpn_gateway(VpcId=cloud.vpc, VpnGatewayId=own)


def site_vpn(cloud: Cloud) -> tuple[str, str, str]:
    """A customer gateway, a VPN gateway, and the connection between them."""
    ec2 = cloud.ec2
    customer = ec2.create_customer_gateway(Type="ipsec.1", PublicIp="198.18.9.9", BgpAsn=65000)
    ours = ec2.create_vpn_gateway(Type="ipsec.1")["VpnGateway"]["VpnGatewayId"]
    theirs = customer["CustomerGateway"]["CustomerGatewayId"]
    made = ec2.create_vpn_connection(Type="ipsec.1", CustomerGatewayId=theirs, VpnGatewayId=ours)
    return theirs, ours, made["VpnConnection"]["VpnConnectionId"]


def scaling_group_with_instances(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    launching(cloud)
    delete = partial(cloud.autoscaling.delete_auto_scaling_group, AutoScalingGroupName="nodes")
    yield delete, "ResourceInUse"
    cloud.autoscaling.update_auto_scaling_group(
        AutoScalingGroupName="nodes", MinSize=0, DesiredCapacity=0
    )


def launch_configuration_of_a_group(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    launching(cloud)
    delete = partial(cloud.autoscaling.delete_launch_configuration, LaunchConfigurationName="nodes")
    yield delete, "ResourceInUse"
    cloud.autoscaling.delete_auto_scaling_group(AutoScalingGroupName="nodes", ForceDelete=True)


def launching(cloud: Cloud) -> None:
    """A group of one instance."""
    image = cloud.ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    cloud.autoscaling.create_launch_configuration(
        LaunchConfigurationName="nodes", ImageId=image, InstanceType="c5.large"
    )
    cloud.autoscaling.create_auto_scaling_group(
        **{**GROUP, "MinSize": 1},
        LaunchConfigurationName="nodes",
        VPCZoneIdentifier=cloud.subnet,
    )


def policy_that_bounds_a_role(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    arn = cloud.iam.create_policy(PolicyName="p", PolicyDocument=POLICY)["Policy"]["Arn"]
    cloud.iam.create_role(RoleName="r", AssumeRolePolicyDocument=TRUST, PermissionsBoundary=arn)
    yield partial(cloud.iam.delete_policy, PolicyArn=arn), "DeleteConflict"
    cloud.iam.delete_role(RoleName="r")


def policy_with_another_version(cloud: Cloud) -> Iterator[tuple[Delete, str]]:
    arn = cloud.iam.create_policy(PolicyName="p", PolicyDocument=POLICY)["Policy"]["Arn"]
    cloud.iam.create_policy_version(PolicyArn=arn, PolicyDocument=POLICY, SetAsDefault=True)
    yield partial(cloud.iam.delete_policy, PolicyArn=arn), "DeleteConflict"
    cloud.iam.delete_policy_version(PolicyArn=arn, VersionId="v1")


IN_USE: list[Case] = [
    address_of_a_nat_gateway,
    address_of_an_instance,
    address_of_an_interface,
    subnet_of_a_nat_gateway,
    subnet_of_an_instance,
    subnet_of_a_mount_target,
    gateway_of_public_addresses,
    group_of_an_interface,
    group_of_an_instance,
    group_that_another_names,
    vpc_with_a_group,
    vpc_with_an_endpoint,
    vpc_with_a_network_acl,
    interface_that_is_attached,
    customer_gateway_of_a_vpn,
    vpn_gateway_of_a_vpn,
    vpn_gateway_of_a_vpc,
    scaling_group_with_instances,
    launch_configuration_of_a_group,
    policy_that_bounds_a_role,
    policy_with_another_version,
]
