"""What unit tests share: Hypothesis without a clock, and a real AWS API.

The API is the lab's, on a free loopback port, empty for each test.
"""

import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from hypothesis import HealthCheck, settings

from orchestrate.aws.session import Session
from orchestrate.aws.state_bucket import bootstrap
from orchestrate.fleet.load import load
from orchestrate.ipam import ledger
from orchestrate.lab import secret
from orchestrate.lab.api import start_api
from orchestrate.target import Target
from orchestrate.workplace import Workplace
from tests.unit.stories import ROOT, STACKS, Story, state_of

ACCOUNT = "123456789012"
SECRET = secret.fresh()  # of every lab of these tests

# A property is no less true on a busy machine: neither examples nor making them have a time limit.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def lab(endpoint: str, account: str = ACCOUNT) -> Target:
    return Target(
        "lab",
        endpoint_url=endpoint,
        environment=keys(account),
    )


def keys(account: str = ACCOUNT) -> dict[str, str]:
    """The operator's, of an account in every lab of these tests."""
    return {
        "AWS_ACCESS_KEY_ID": account,
        "AWS_SECRET_ACCESS_KEY": SECRET.access_key(account),
    }


@pytest.fixture
def stranger(endpoint: str) -> Session:
    """A session with the keys of another account, 999999999999."""
    return Session(lab(endpoint, "999999999999"))


@pytest.fixture(scope="session")
def lab_api() -> Iterator[str]:
    with start_api(slot=31, changed=lambda: None, status=dict, secret=SECRET) as api:
        yield api.endpoint


@pytest.fixture
def endpoint(lab_api: str) -> str:
    reset(lab_api)
    return lab_api


def reset(endpoint: str) -> None:
    """Empty a lab."""
    answer = requests.post(f"{endpoint}/_lab/reset", headers=SECRET.authorization, timeout=60)
    assert answer.ok, answer.text


@pytest.fixture
def session(endpoint: str) -> Session:
    return Session(lab(endpoint))


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """Call it to take every AWS credential and setting of this machine away."""

    def strip() -> None:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    return strip


@pytest.fixture(scope="session")
def story_endpoint() -> Iterator[str]:
    with start_api(slot=30, changed=lambda: None, status=dict, secret=SECRET) as api:
        yield api.endpoint


@pytest.fixture
def story(story_endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Story]:
    monkeypatch.setenv(
        "ORCHESTRATE_TERRAFORM", str(Path(__file__).parent / "scripted_terraform.sh")
    )
    fleet = load(ROOT / "tests" / "golden" / "example" / "fleet")
    config = tmp_path / "terraform.tfrc"
    config.write_text("provider_installation {}\n")
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", str(config))
    target = lab(story_endpoint, fleet.file.account)
    given = ledger.read(ROOT / "tests" / "golden" / "example" / "fleet" / ledger.NAME).allocations
    work = Workplace(fleet, target, tmp_path, STACKS, Session(target), given)
    bootstrap(work.session, work.bucket)
    told = Story(work)
    for stack in STACKS:
        for folder in (work.build / stack, work.leaving / stack):
            folder.mkdir(parents=True)
            with zipfile.ZipFile(folder / "plan.tfplan", "w") as plan:
                plan.writestr("tfstate", state_of(1))
        told.writes(stack, ("create", "aws_vpc.this"))
    yield told
    s3 = work.session.s3("us-west-2")
    for stack in (*STACKS, "old"):
        s3.delete_object(Bucket=work.bucket.name, Key=f"{stack}.tfstate")
