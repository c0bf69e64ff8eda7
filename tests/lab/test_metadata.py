"""What a host learns about itself, asked from inside over its own network."""

import json
from collections.abc import Iterator

import pytest

from orchestrate import shell
from tests.lab.conftest import LabFolder
from tests.lab.machines import REGION, Machine, Site, remove_instances, site, until

pytestmark = pytest.mark.hosts
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


@pytest.fixture(scope="module")
def zone(here: Site, machine: Machine) -> None:
    """A private zone of the VPC, and a public one that it hides a part of."""
    route53 = here.account.client("route53", REGION)
    vpc = {"VPCRegion": REGION, "VPCId": machine.instance["VpcId"]}
    private = route53.create_hosted_zone(Name="lab.example.net", CallerReference="1", VPC=vpc)
    public = route53.create_hosted_zone(Name="example.net", CallerReference="2")
    named = {
        private["HostedZone"]["Id"]: {"bastion.lab.example.net": "10.30.1.99"},
        public["HostedZone"]["Id"]: {
            "www.example.net": "198.18.0.99",
            "hidden.lab.example.net": "198.18.0.98",
        },
    }
    for zone_id, names in named.items():
        changes = [
            {
                "Action": "CREATE",
                "ResourceRecordSet": {
                    "Name": name,
                    "Type": "A",
                    "TTL": 60,
                    "ResourceRecords": [{"Value": address}],
                },
            }
            for name, address in names.items()
        ]
        route53.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch={"Changes": changes})


def test_names_of_the_vpcs_zones_and_of_instances_resolve(zone: None, machine: Machine) -> None:
    own = machine.instance["PrivateDnsName"]
    names = ["bastion.lab.example.net", "www.example.net", own]
    told = machine.says(f"getent ahostsv4 {' '.join(names)} | grep STREAM")
    addresses = ["10.30.1.99", "198.18.0.99", machine.instance["PrivateIpAddress"]]
    assert [line.split()[0] for line in told.splitlines()] == addresses
    assert machine.says(f"getent -s dns hosts {addresses[2]}").split()[1] == own


@pytest.mark.parametrize("name", ["hidden.lab.example.net", "debian.org"])
def test_other_names_are_unknown_at_once(zone: None, machine: Machine, name: str) -> None:
    assert machine.run(f"timeout 4 getent hosts {name}").code == 2


def test_the_service_is_the_hosts_only(machine: Machine) -> None:
    """It stands in the router's namespace: this machine's own network has no such address."""
    routes = shell.run(["ip", "-4", "address"]).stdout
    assert "169.254.169.254" not in routes


CLOUD_CONFIG = """\
#cloud-config
write_files:
  - path: /etc/motd
    content: "written\\n"
runcmd:
  - [sh, -c, "echo once >> /var/log/runs; cat /etc/ssh/ssh_host_ed25519_key.pub"]
users:
  - default
  - {name: ada, sudo: "ALL=(ALL) NOPASSWD:ALL"}
"""
FINISHED = "test -e /run/cloud-init/result.json"


def test_a_script_in_the_user_data_runs_and_its_output_is_on_the_console(here: Site) -> None:
    machine = here.launch(UserData="#!/bin/sh\necho ran as $(id -un) > /root/ran\necho loud\n")
    until(lambda: machine.run(FINISHED).code == 0)
    assert machine.says("sudo cat /root/ran") == "ran as root"
    assert "loud" in machine.console()


def test_cloud_config_is_applied_once_per_instance(here: Site) -> None:
    machine = here.launch(UserData=CLOUD_CONFIG)
    until(lambda: machine.run(FINISHED).code == 0)
    assert machine.says("cat /etc/motd; id -un ada; systemctl is-system-running") == (
        "written\nada\nrunning"
    )
    key = machine.says("cat /etc/ssh/ssh_host_ed25519_key.pub")
    machine.reboot_and_wait(lambda: machine.run("sudo systemctl reboot"))
    until(lambda: machine.run(FINISHED).code == 0)
    assert (
        machine.says("cat /var/log/runs; cat /etc/ssh/ssh_host_ed25519_key.pub") == f"once\n{key}"
    )


def test_a_host_without_user_data_does_not_start_cloud_init(machine: Machine) -> None:
    assert machine.run("systemctl is-active user-data.service").stdout.strip() == "inactive"
