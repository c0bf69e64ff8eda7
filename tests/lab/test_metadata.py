"""What a host learns about itself, asked from inside over its own network."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from orchestrate import shell
from tests.lab.cloud import newest_debian
from tests.lab.conftest import Account, LabFolder
from tests.lab.hosts_lab import SSH

pytestmark = pytest.mark.hosts
REGION = "us-west-2"
PATIENCE_S = 120.0
TOKEN = (
    "t=$(curl -sf -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60'"
    " http://169.254.169.254/latest/api/token)"
)
GET = f'{TOKEN} && curl -sf -H "X-aws-ec2-metadata-token: $t" http://169.254.169.254/latest'
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "ec2.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


@dataclass(frozen=True)
class Machine:
    """An instance with an elastic address and the operator's key."""

    account: Account
    instance: dict[str, Any]
    address: str

    @property
    def id(self) -> str:
        return str(self.instance["InstanceId"])

    def run(self, command: str) -> shell.Finished:
        identity = self.account.lab.files.identity
        argv = [*SSH, "-i", str(identity), f"admin@{self.address}", command]
        return shell.run(argv, check=False, timeout_s=60)

    def says(self, command: str) -> str:
        done = self.run(command)
        assert done.code == 0, done
        return done.stdout.strip()

    def metadata(self, path: str) -> str:
        return self.says(f"{GET}/{path}")


@dataclass(frozen=True)
class Site:
    """An account with a public subnet, a group that lets SSH in, and the operator's key pair."""

    account: Account
    subnet: str
    security_group: str

    @property
    def ec2(self) -> Any:
        return self.account.client("ec2", REGION)

    def launch(self, **options: Any) -> Machine:
        """A running instance at an elastic address, once SSH answers."""
        launch = {
            "ImageId": newest_debian(self.ec2),
            "InstanceType": "t3.small",
            "SubnetId": self.subnet,
            "SecurityGroupIds": [self.security_group],
            "KeyName": "operator",
            "MinCount": 1,
            "MaxCount": 1,
        }
        made = self.ec2.run_instances(**{**launch, **options})["Instances"][0]
        elastic = self.ec2.allocate_address(Domain="vpc")
        self.ec2.associate_address(
            AllocationId=elastic["AllocationId"], InstanceId=made["InstanceId"]
        )
        machine = Machine(self.account, made, str(elastic["PublicIp"]))
        until(lambda: machine.run("true").code == 0)
        return machine


def site(lab: LabFolder, number: str) -> Site:
    """A new network in account `number`, which nobody else has."""
    account = Account(number, lab)
    ec2 = account.client("ec2", REGION)
    vpc = ec2.create_vpc(CidrBlock="10.30.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.30.1.0/24", AvailabilityZone=f"{REGION}a")
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    tables = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])
    main_table = tables["RouteTables"][0]["RouteTableId"]
    ec2.create_route(RouteTableId=main_table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    group = ec2.create_security_group(GroupName="ssh", Description="ssh", VpcId=vpc)["GroupId"]
    ec2.authorize_security_group_ingress(
        GroupId=group, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
    )
    ec2.import_key_pair(KeyName="operator", PublicKeyMaterial=lab.files.public_key.read_bytes())
    return Site(account, str(subnet["Subnet"]["SubnetId"]), str(group))


def until(condition: Callable[[], object]) -> None:
    """Wait for what the daemon does in its own time."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.2)


def remove_instances(place: Site) -> None:
    """Terminate all that a module launched."""
    pages = place.ec2.describe_instances()["Reservations"]
    ids = [one["InstanceId"] for page in pages for one in page["Instances"]]
    place.ec2.terminate_instances(InstanceIds=ids)


@pytest.fixture(scope="module")
def here(lab: LabFolder) -> Iterator[Site]:
    made = site(lab, "200000000010")
    yield made
    remove_instances(made)


@pytest.fixture(scope="module")
def machine(here: Site) -> Machine:
    """A spot instance of a launch template with tags in its metadata and an instance profile."""
    iam = here.account.client("iam", REGION)
    iam.create_role(RoleName="node", AssumeRolePolicyDocument=json.dumps(TRUST))
    iam.create_instance_profile(InstanceProfileName="node")
    iam.add_role_to_instance_profile(InstanceProfileName="node", RoleName="node")
    here.ec2.create_launch_template(
        LaunchTemplateName="nodes",
        LaunchTemplateData={
            "MetadataOptions": {"HttpTokens": "required", "InstanceMetadataTags": "enabled"},
            "IamInstanceProfile": {"Name": "node"},
            "InstanceMarketOptions": {"MarketType": "spot"},
            "TagSpecifications": [
                {"ResourceType": "instance", "Tags": [{"Key": "role", "Value": "gpu-worker"}]}
            ],
        },
    )
    return here.launch(LaunchTemplate={"LaunchTemplateName": "nodes"})


def test_nothing_is_told_without_a_token(machine: Machine) -> None:
    status = "curl -s -o /dev/null -w '%{http_code}' http://169.254.169.254/latest/meta-data/"
    assert machine.says(status) == "401"


def test_a_host_learns_its_identity(machine: Machine) -> None:
    assert machine.metadata("meta-data/instance-id") == machine.id
    assert machine.metadata("meta-data/local-ipv4") == machine.instance["PrivateIpAddress"]
    assert machine.metadata("meta-data/public-ipv4") == machine.address
    assert machine.metadata("meta-data/placement/availability-zone") == f"{REGION}a"
    assert machine.metadata("meta-data/tags/instance/role") == "gpu-worker"
    assert machine.metadata("meta-data/security-groups") == "ssh"
    key = machine.account.lab.files.public_key.read_text().strip()
    assert machine.metadata("meta-data/public-keys/0/openssh-key") == key


def test_an_interface_has_the_address_that_the_api_names(machine: Machine) -> None:
    assert machine.metadata("meta-data/mac") == machine.says("cat /sys/class/net/eth0/address")


def test_the_credentials_of_a_profile_are_its_roles(machine: Machine) -> None:
    role = machine.metadata("meta-data/iam/security-credentials/")
    keys = json.loads(machine.metadata(f"meta-data/iam/security-credentials/{role}"))
    sts = machine.account.client(
        "sts",
        REGION,
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["Token"],
    )
    caller = sts.get_caller_identity()
    assert caller["Account"] == machine.account.number
    assert caller["Arn"].endswith(f":assumed-role/node/{machine.id}")


def test_the_service_is_the_hosts_only(machine: Machine) -> None:
    """It stands in the router's namespace: this machine's own network has no such address."""
    routes = shell.run(["ip", "-4", "address"]).stdout
    assert "169.254.169.254" not in routes
