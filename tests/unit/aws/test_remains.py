"""What others put into ours, on a real API; and how it is taken away."""

import pytest

from orchestrate.aws import remains
from orchestrate.aws.session import Session

WEST = "us-west-2"


def test_a_bucket_is_emptied_of_objects_old_versions_and_delete_markers(session: Session) -> None:
    s3 = session.s3(WEST)
    place = {"LocationConstraint": WEST}
    s3.create_bucket(Bucket="results", CreateBucketConfiguration=place)  # type: ignore[arg-type]
    s3.put_bucket_versioning(Bucket="results", VersioningConfiguration={"Status": "Enabled"})
    assert remains.versions(session, WEST, "results") == 0
    for body in (b"1", b"2"):
        s3.put_object(Bucket="results", Key="a b/ü", Body=body)
    s3.put_object(Bucket="results", Key="gone", Body=b"x")
    s3.delete_object(Bucket="results", Key="gone")
    assert remains.versions(session, WEST, "results") == 4
    told: list[int] = []
    remains.empty(session, WEST, "results", told.append)
    assert told[-1] == 4
    s3.delete_bucket(Bucket="results")


def test_a_zone_shows_what_is_not_its_own_and_lets_go_of_it(session: Session) -> None:
    zones = session.route53(WEST)
    zone = zones.create_hosted_zone(Name="west.example.net", CallerReference="1")
    own = zone["HostedZone"]["Id"]
    assert remains.records(session, WEST, own) == []
    record = {
        "Name": "wiki.west.example.net",
        "Type": "A",
        "TTL": 60,
        "ResourceRecords": [{"Value": "10.0.0.1"}],
    }
    changes = {"Changes": [{"Action": "CREATE", "ResourceRecordSet": record}]}
    zones.change_resource_record_sets(HostedZoneId=own, ChangeBatch=changes)
    (found,) = remains.records(session, WEST, own)
    assert (found.name, found.type) == ("wiki.west.example.net.", "A")
    remains.delete_record(session, WEST, own, found)
    assert remains.records(session, WEST, own) == []


def test_an_interface_that_is_left_over_is_seen_and_deleted(session: Session) -> None:
    ec2 = session.ec2(WEST)
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/24")["Subnet"]["SubnetId"]
    made = ec2.create_network_interface(SubnetId=subnet, Description="of a function")
    (found,) = remains.interfaces(session, WEST, vpc)
    assert found.id == made["NetworkInterface"]["NetworkInterfaceId"]
    assert (found.instance, found.in_use, found.description) == ("", False, "of a function")
    remains.delete_interface(session, WEST, found.id)
    assert remains.interfaces(session, WEST, vpc) == []


def test_a_group_that_is_gone_is_in_nobodys_way(session: Session) -> None:
    assert remains.group(session, WEST, "nobody") == remains.Group((), (), ())


def group_of(session: Session, size: int = 2) -> list[str]:
    """A group `cpu` of so many instances; their ids."""
    ec2, scaling = session.ec2(WEST), session.autoscaling(WEST)
    image = ec2.describe_images(Owners=["136693071363"])["Images"][0]["ImageId"]
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    scaling.create_launch_configuration(
        LaunchConfigurationName="cpu", ImageId=image, InstanceType="c5.large"
    )
    scaling.create_auto_scaling_group(
        AutoScalingGroupName="cpu",
        LaunchConfigurationName="cpu",
        MinSize=0,
        MaxSize=size,
        DesiredCapacity=size,
        VPCZoneIdentifier=subnet,
    )
    return list(remains.group(session, WEST, "cpu").instances)


@pytest.mark.parametrize("protected", [0, 1, 2])
@pytest.mark.parametrize("suspended", [[], ["Terminate"], ["Terminate", "AZRebalance"]])
def test_a_group_lets_go_of_its_instances_once_what_held_them_is_lifted(
    session: Session, suspended: list[str], protected: int
) -> None:
    members, scaling = group_of(session), session.autoscaling(WEST)
    if suspended:
        scaling.suspend_processes(AutoScalingGroupName="cpu", ScalingProcesses=suspended)
    if protected:
        scaling.set_instance_protection(
            AutoScalingGroupName="cpu", InstanceIds=members[:protected], ProtectedFromScaleIn=True
        )
    seen = remains.group(session, WEST, "cpu")
    assert (sorted(seen.suspended), list(seen.protected)) == (
        sorted(suspended),
        members[:protected],
    )
    # As Terraform does it before it deletes a group: it would wait for them for ever.
    scaling.set_desired_capacity(AutoScalingGroupName="cpu", DesiredCapacity=0)
    held = 2 if suspended else protected
    assert len(remains.group(session, WEST, "cpu").instances) == held
    remains.let_go(session, WEST, "cpu", seen.protected)
    scaling.set_desired_capacity(AutoScalingGroupName="cpu", DesiredCapacity=0)
    after = remains.group(session, WEST, "cpu")
    assert (after.instances, after.protected) == ((), ())
    assert list(after.suspended) == [one for one in suspended if one != "Terminate"]
