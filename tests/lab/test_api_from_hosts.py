"""AWS as an instance calls it: by its own names, over TLS, as the role of its profile."""

import json
from collections.abc import Iterator

import pytest

from tests.lab.conftest import LabFolder
from tests.lab.machines import GET, Machine, remove_instances, site, until

pytestmark = pytest.mark.hosts
API = "https://ec2.us-west-2.amazonaws.com/?Version=2016-11-15&Action="


@pytest.fixture(scope="module")
def machine(lab: LabFolder) -> Iterator[Machine]:
    here = site(lab, "200000000050")
    iam = here.account.client("iam")
    iam.create_role(RoleName="node", AssumeRolePolicyDocument="{}")
    iam.create_instance_profile(InstanceProfileName="node")
    iam.add_role_to_instance_profile(InstanceProfileName="node", RoleName="node")
    yield here.launch(IamInstanceProfile={"Name": "node"})
    remove_instances(here)


def test_an_instance_is_its_account_by_the_credentials_of_its_profile(machine: Machine) -> None:
    credentials = f"{GET}/meta-data/iam/security-credentials/node"
    until(lambda: machine.run(credentials).code == 0)
    session = json.loads(machine.says(credentials))
    signed = (
        "curl -sS --aws-sigv4 aws:amz:us-west-2:ec2"
        f" --user '{session['AccessKeyId']}:{session['SecretAccessKey']}'"
        f" -H 'X-Amz-Security-Token: {session['Token']}'"
    )
    told = machine.says(f"{signed} '{API}DescribeInstances'")
    assert machine.id in told
    assert f"<ownerId>{machine.account.number}</ownerId>" in told


def test_what_is_the_operators_is_closed_to_hosts(machine: Machine) -> None:
    asked = "curl -sS -o /dev/null -w '%{http_code}' https://ec2.us-west-2.amazonaws.com/_lab"
    assert machine.says(f"{asked}/status") == "403"
    assert machine.says(f"{asked}/reset -X POST") == "403"
