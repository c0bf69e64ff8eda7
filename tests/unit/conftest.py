"""What unit tests share: Hypothesis without a clock, and a real AWS API.

The API is the lab's, on a free loopback port, empty for each test.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from hypothesis import HealthCheck, settings

from orchestrate.aws.session import Session
from orchestrate.lab.api import start_api
from orchestrate.target import Target

ACCOUNT = "123456789012"

# A property is no less true on a busy machine: neither examples nor making them have a time limit.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def lab(endpoint: str, account: str = ACCOUNT) -> Target:
    return Target(
        "lab",
        endpoint_url=endpoint,
        environment={"AWS_ACCESS_KEY_ID": account, "AWS_SECRET_ACCESS_KEY": "lab"},
    )


@pytest.fixture
def stranger(endpoint: str) -> Session:
    """A session with the keys of another account, 999999999999."""
    return Session(lab(endpoint, "999999999999"))


@pytest.fixture(scope="session")
def lab_api() -> Iterator[str]:
    with start_api(slot=31, changed=lambda: None, status=dict) as api:
        yield api.endpoint


@pytest.fixture
def endpoint(lab_api: str) -> str:
    requests.post(f"{lab_api}/moto-api/reset", timeout=10)
    return lab_api


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
