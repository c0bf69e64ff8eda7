"""`orchestrate bootstrap`."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from orchestrate.errors import AwsError
from tests.unit.conftest import keys

pytestmark = pytest.mark.usefixtures("on_aws")
Run = Callable[..., Result]


def test_it_makes_the_bucket_once_and_says_so(orchestrate: Run) -> None:
    first = orchestrate("bootstrap")
    assert first.exit_code == 0
    assert "deeplab-terraform-state-123456789012 in us-west-2" in first.output
    assert "made right" in first.output
    assert "made right" not in orchestrate("bootstrap").output


def test_programs_get_each_step(orchestrate: Run) -> None:
    told = json.loads(orchestrate("bootstrap", "--json").output)
    assert told["account"] == "123456789012"
    assert {"what": "versioning", "changed": True} in told["steps"]


def test_keys_of_another_account_create_nothing(
    orchestrate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in keys("999999999999").items():
        monkeypatch.setenv(variable, value)
    refused = orchestrate("bootstrap").exception
    assert isinstance(refused, AwsError)
    assert "account 999999999999" in str(refused)
    for variable, value in keys().items():
        monkeypatch.setenv(variable, value)
    assert "made right     bucket" in orchestrate("bootstrap").output
