"""`orchestrate import`, as far as it goes without Terraform; see tests/lab/test_lost_answers.py."""

from orchestrate.errors import OrchestrateError
from tests.unit.cli.conftest import Run


def test_a_stack_that_does_not_exist_names_the_nearest(orchestrate: Run) -> None:
    error = orchestrate("import", "cluster-us-wets", "aws_vpc.this", "vpc-1").exception

    assert isinstance(error, OrchestrateError)
    assert "no stack 'cluster-us-wets'" in error.what
    assert "cluster-us-west" in error.what


def test_all_three_words_are_asked_for(orchestrate: Run) -> None:
    assert "Missing argument 'ID'" in orchestrate("import", "global", "aws_vpc.this").output
