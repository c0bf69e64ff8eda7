from pathlib import Path

import pytest

from orchestrate.errors import (
    AwsError,
    MissingTool,
    OrchestrateError,
    StalePlan,
    StateLocked,
    TerraformError,
)
from orchestrate.terraform.events import Diagnostic, Event, Text
from orchestrate.terraform.failure import failure, needs_init
from tests.unit.terraform.streams import diagnostics

LOG = Path("logs/west.log")
HOW = "failed with exit code 1"


@pytest.mark.parametrize(
    ("stream", "kind", "what", "step"),
    [
        ("no_credentials", AwsError, "there are no AWS credentials", "AWS_PROFILE"),
        ("no_bucket", AwsError, "the bucket for Terraform's state", "orchestrate bootstrap"),
        ("api_down", AwsError, "the AWS API does not answer", "orchestrate lab up"),
        ("wrong_account", AwsError, "another AWS account than the fleet's", "fleet/fleet.yaml"),
        ("no_provider", MissingTool, "a Terraform provider", "ORCHESTRATE_PROVIDER_MIRROR"),
        ("stale", StalePlan, "the state has moved on", "logs/west.log"),
        ("syntax_error", TerraformError, "Invalid multi-line string", "logs/west.log"),
    ],
)
def test_a_known_failure_says_what_it_means_and_the_next_step(
    stream: str, kind: type[OrchestrateError], what: str, step: str
) -> None:
    error = failure("west", diagnostics(stream), LOG, HOW)
    assert type(error) is kind
    assert error.where == "west"
    assert what in error.what
    assert step in error.fix


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("ExpiredToken: The security token included in the request is expired", "have expired"),
        ("the SSO session has expired or is invalid", "have expired"),
        ("InvalidClientTokenId: The security token is invalid.", "does not accept"),
        ("AccessDenied: User: x is not authorized to perform: ec2:CreateVpc", "do not allow this"),
        ("VcpuLimitExceeded: You have requested more vCPU capacity", "a quota"),
        ("AddressLimitExceeded: The maximum number of addresses", "a quota"),
    ],
)
def test_what_aws_refuses_is_told_with_its_resource(said: str, what: str) -> None:
    error = failure("west", [Diagnostic("error", "creating", said, "aws_vpc.this")], LOG, HOW)
    assert isinstance(error, AwsError)
    assert what in error.what
    assert error.what.endswith("[aws_vpc.this]")


def test_throttling_is_no_quota() -> None:
    error = failure("west", [Diagnostic("error", "RequestLimitExceeded: slow down")], LOG, HOW)
    assert "quota" not in error.what


def test_a_lock_held_by_someone_else_names_who_when_and_its_id() -> None:
    error = failure("west", diagnostics("locked"), LOG, HOW)
    assert isinstance(error, StateLocked)
    assert "ops@buildhost (apply, since 2026-11-29 22:27:43 UTC)" in error.what
    assert error.lock_id == "8e82682b-c605-7954-873b-bcf142cd7a18"
    assert error.who == "ops@buildhost"


def test_an_error_of_the_api_is_told_without_the_sdks_noise() -> None:
    error = failure("west", diagnostics("apply_failed"), LOG, HOW)
    assert error.what == (
        "creating EC2 Subnet: InvalidSubnet.Range: The CIDR '10.1.0.0/24' is invalid. "
        '[aws_subnet.private["us-west-2a"], main.tf:13]'
    )


def test_further_errors_are_counted() -> None:
    two = [Diagnostic("error", "first"), Diagnostic("warning", "x"), Diagnostic("error", "second")]
    assert failure("west", two, LOG, HOW).what == "first (and 1 more)"


def test_a_silent_death_is_told_with_its_last_words_and_the_log() -> None:
    events: list[Event] = [
        Diagnostic("warning", "old argument"),
        Text("panic: runtime error"),
        Text("goroutine"),
    ]
    error = failure("west", events, LOG, "was ended by SIGKILL")
    assert error.what == (
        "terraform was ended by SIGKILL without an error message\n"
        "    panic: runtime error\n    goroutine"
    )
    assert str(LOG) in error.fix


def test_only_a_folder_that_changed_needs_init_again() -> None:
    assert needs_init(diagnostics("needs_init"))
    assert not needs_init(diagnostics("locked"))
    assert not needs_init([Diagnostic("warning", "Module not installed")])
