"""Instances of a lab with a network around them, launched and logged in to by tests."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orchestrate import shell
from tests.lab.cloud import newest_debian
from tests.lab.conftest import Account, LabFolder
from tests.lab.hosts_lab import SSH
from tests.lab.patience import PATIENCE_S

REGION = "us-west-2"
TOKEN = (
    "t=$(curl -sf -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60'"
    " http://169.254.169.254/latest/api/token)"
)
GET = f'{TOKEN} && curl -sf -H "X-aws-ec2-metadata-token: $t" http://169.254.169.254/latest'


@dataclass(frozen=True)
class Machine:
    """An instance with an elastic address and the operator's key."""

    account: Account
    instance: dict[str, Any]
    address: str

    @property
    def id(self) -> str:
        return str(self.instance["InstanceId"])

    def run(self, command: str, timeout_s: float = PATIENCE_S) -> shell.Finished:
        identity = self.account.lab.files.identity
        argv = [*SSH, "-i", str(identity), f"admin@{self.address}", command]
        return shell.run(argv, check=False, timeout_s=timeout_s)

    def says(self, command: str, timeout_s: float = PATIENCE_S) -> str:
        done = self.run(command, timeout_s)
        assert done.code == 0, done
        return done.stdout.strip()

    @property
    def ec2(self) -> Any:
        return self.account.client("ec2", REGION)

    @property
    def state(self) -> str:
        """What the API calls it: `running`, `stopped`, …"""
        found = self.ec2.describe_instances(InstanceIds=[self.id])["Reservations"][0]
        return str(found["Instances"][0]["State"]["Name"])

    @property
    def status(self) -> str:
        """The instance status check: `initializing`, `ok`, `impaired`."""
        found = self.ec2.describe_instance_status(InstanceIds=[self.id])["InstanceStatuses"]
        return str(found[0]["InstanceStatus"]["Status"])

    def console(self) -> str:
        return str(self.ec2.get_console_output(InstanceId=self.id).get("Output", ""))

    def boot(self) -> str:
        """Differs from boot to boot; "" when SSH does not answer."""
        return self.run("systemctl show --property=UserspaceTimestamp").stdout.strip()

    def reboot_and_wait(self, how: Callable[[], object]) -> None:
        """Do what reboots it, and wait until it is back."""
        before = self.boot()
        how()
        until(lambda: self.boot() not in ("", before))

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


def until(condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait for what the daemon does in its own time."""
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.2)


def remove_instances(place: Site) -> None:
    """Terminate all that a module launched."""
    pages = place.ec2.describe_instances()["Reservations"]
    ids = [one["InstanceId"] for page in pages for one in page["Instances"]]
    place.ec2.terminate_instances(InstanceIds=ids)
