"""`orchestrate output`, on states as Terraform writes them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from orchestrate.aws.session import Session
from orchestrate.errors import AwsError, OrchestrateError

pytestmark = pytest.mark.usefixtures("on_aws")
Run = Callable[..., Result]
BUCKET = "deeplab-terraform-state-123456789012"


def put(session: Session, stack: str, **outputs: Any) -> None:
    state = {"version": 4, "serial": 1, "lineage": "x", "outputs": outputs, "resources": []}
    body = json.dumps(state).encode()
    session.s3("us-west-2").put_object(Bucket=BUCKET, Key=f"{stack}.tfstate", Body=body)


@pytest.fixture
def applied(on_aws: None, orchestrate: Run, session: Session) -> None:
    """Two applied stacks, one with a sensitive output."""
    orchestrate("bootstrap")
    put(session, "global", zone_id={"value": "Z1", "type": "string"})
    put(
        session,
        "cluster-us-west",
        bastion_address={"value": "198.18.0.10", "type": "string"},
        subnets={"value": {"a": "s-1"}, "type": ["map", "string"]},
        vpn_key={"value": "tell nobody", "type": "string", "sensitive": True},
    )


@pytest.mark.usefixtures("applied")
class TestApplied:
    def test_all_outputs_of_all_stacks_are_shown(self, orchestrate: Run) -> None:
        shown = orchestrate("output").output
        assert shown.splitlines()[0] == "cluster-us-west"
        assert "198.18.0.10" in shown
        assert "Z1" in shown

    @pytest.mark.parametrize(
        ("words", "printed"),
        [
            (["cluster-us-west", "bastion_address"], "198.18.0.10\n"),
            (["bastion_address"], "198.18.0.10\n"),
            (["cluster-us-west", "subnets"], '{"a": "s-1"}\n'),
            (["bastion_address", "--json"], '"198.18.0.10"\n'),
        ],
    )
    def test_one_output_is_printed_alone_for_scripts(
        self, orchestrate: Run, words: list[str], printed: str
    ) -> None:
        assert orchestrate("output", *words).output == printed

    @pytest.mark.parametrize("more", [[], ["--json"], ["vpn_key"], ["vpn_key", "--json"]])
    def test_a_sensitive_value_is_shown_on_demand_only(
        self, orchestrate: Run, more: list[str]
    ) -> None:
        assert "tell nobody" not in orchestrate("output", *more).output
        assert "tell nobody" in orchestrate("output", *more, "--show-sensitive").output

    def test_programs_get_a_stack_of_outputs(self, orchestrate: Run) -> None:
        told = json.loads(orchestrate("output", "global", "--json").output)
        assert told == {"global": {"zone_id": "Z1"}}

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (
                ["cluster-us-wset", "vpn_key"],
                "no stack 'cluster-us-wset'; did you mean 'cluster-us",
            ),
            (["bastion_adress"], "no stack or output 'bastion_adress'; did you mean 'bastion_addr"),
            (["cluster-us-wset"], "did you mean 'cluster-us-west'"),
            (["global", "bastion_address"], "there are: global, zone_id"),
            (["x", "y"], "there are: cluster-eu-west, cluster-us-east, cluster-us-west, global, m"),
        ],
    )
    def test_a_wrong_name_names_the_nearest(
        self, orchestrate: Run, words: list[str], said: str
    ) -> None:
        error = orchestrate("output", *words).exception
        assert isinstance(error, OrchestrateError)
        assert said in str(error)

    def test_a_stack_that_is_not_applied_yet_says_so(self, orchestrate: Run) -> None:
        assert "not applied" in orchestrate("output", "mesh").output


def test_before_anything_is_applied_the_next_step_is_said(orchestrate: Run) -> None:
    error = orchestrate("output").exception
    assert isinstance(error, AwsError)
    assert "orchestrate bootstrap" in str(error)
    orchestrate("bootstrap")
    assert "orchestrate apply" in orchestrate("output").output
