"""AWS as an instance calls it: by its own names, over TLS, as the role of its profile."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from tests.lab.conftest import LabFolder
from tests.lab.machines import GET, Machine, Site, remove_instances, site, until

pytestmark = pytest.mark.hosts
NAME = "https://ec2.us-west-2.amazonaws.com"
ASKED = f"{NAME}/?Action=DescribeInstances&Version=2016-11-15"
CODE = "-o /dev/null -w '%{http_code}'"


@dataclass(frozen=True)
class Pair:
    """Two hosts of one subnet, of which the first has a role."""

    site: Site
    one: Machine
    other: Machine


@pytest.fixture(scope="module")
def pair(lab: LabFolder) -> Iterator[Pair]:
    here = site(lab, "200000000050")
    iam = here.account.client("iam")
    iam.create_role(RoleName="node", AssumeRolePolicyDocument="{}")
    iam.create_instance_profile(InstanceProfileName="node")
    iam.add_role_to_instance_profile(InstanceProfileName="node", RoleName="node")
    yield Pair(here, here.launch(IamInstanceProfile={"Name": "node"}), here.launch())
    remove_instances(here)


def session(machine: Machine) -> dict[str, str]:
    """What the metadata service gives a host of its role, to root if to nobody else."""
    command = f"sudo sh -c {shlex.quote(f'{GET}/meta-data/iam/security-credentials/node')}"
    until(lambda: machine.run(command).code == 0)
    found: dict[str, str] = json.loads(machine.says(command))
    return found


def signed(keys: Mapping[str, str]) -> str:
    """curl, signing with these."""
    token = keys.get("Token", "")
    return (
        "curl -sS --aws-sigv4 aws:amz:us-west-2:ec2"
        f" --user '{keys['AccessKeyId']}:{keys['SecretAccessKey']}'"
        + (f" -H 'X-Amz-Security-Token: {token}'" if token else "")
    )


def test_an_instance_is_its_account_by_the_credentials_of_its_profile(pair: Pair) -> None:
    told = pair.one.says(f"{signed(session(pair.one))} '{ASKED}'")
    assert pair.one.id in told
    assert f"<ownerId>{pair.one.account.number}</ownerId>" in told


def test_what_is_the_operators_is_closed_to_hosts(pair: Pair) -> None:
    bearer = pair.one.account.lab.secret.authorization["Authorization"]
    for asked in ("/_lab/status", "/_lab/reset -X POST", "/moto-api/reset -X POST"):
        said = pair.one.says(f"curl -sS {CODE} -H 'Authorization: {bearer}' {NAME}{asked}")
        assert said == "403"


def test_a_host_is_not_answered_without_credentials_or_with_the_operators(pair: Pair) -> None:
    account = pair.one.account
    operators = {
        "AccessKeyId": account.number,
        "SecretAccessKey": account.lab.secret.access_key(account.number),
    }
    guessed = {**session(pair.one), "SecretAccessKey": "guessed"}
    without = {**session(pair.one), "Token": ""}
    for curl in ("curl -sS", signed(operators), signed(guessed), signed(without)):
        assert pair.one.says(f"{curl} {CODE} '{ASKED}'") in {"401", "403"}


def test_the_api_has_no_other_names(pair: Pair) -> None:
    curl = f"curl -sS -k {CODE} -H 'Host: evil.example'"
    assert pair.one.says(f"{curl} {NAME}/") == "403"


def test_a_host_that_takes_anothers_address_does_not_get_its_role(pair: Pair) -> None:
    """Of one subnet, as root, and even where the source/destination check is off."""
    session(pair.one)
    pair.site.ec2.modify_instance_attribute(
        InstanceId=pair.other.id, SourceDestCheck={"Value": False}
    )
    stolen = pair.one.instance["PrivateIpAddress"]
    pair.other.says(f"sudo ip address add {stolen}/32 dev eth0")
    asked = (
        f"sudo curl -sS -m 5 --interface {stolen} -X PUT"
        " -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' http://169.254.169.254/latest/api/token"
    )
    try:
        done = pair.other.run(asked)
        assert (done.code, done.stdout) == (28, "")  # nothing came back to it
    finally:
        pair.other.run(f"sudo ip address del {stolen}/32 dev eth0")


def test_the_credentials_of_a_host_end_with_it(pair: Pair) -> None:
    """Last: the other host is left with what the first had."""
    stolen = session(pair.one)
    asked = f"{signed(stolen)} {CODE} '{ASKED}'"
    assert pair.other.says(asked) == "200"  # as on AWS, while it runs

    pair.site.ec2.terminate_instances(InstanceIds=[pair.one.id])

    assert pair.other.says(asked) == "400"
    assert "RequestExpired" in pair.other.says(f"{signed(stolen)} '{ASKED}'")
