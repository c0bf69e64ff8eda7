"""A create that is refused because the thing is there, and the import that is offered for it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrate.errors import TerraformError
from orchestrate.terraform import existing
from orchestrate.terraform.events import Diagnostic
from orchestrate.terraform.failure import failure
from tests.hostile import HOSTILE

CASES = Path(__file__).parents[2] / "cases" / "terraform" / "existing.yaml"
ALL: list[dict[str, Any]] = yaml.safe_load(CASES.read_text())
THERE = [case for case in ALL if case["code"]]
LOG = Path("logs/west.log")


def _diagnostic(case: dict[str, Any]) -> Diagnostic:
    return Diagnostic("error", case["said"], "", case["address"], "main.tf", 9)


def _name(case: dict[str, Any]) -> str:
    return f"{case['address']} {case['code']}"


@pytest.mark.parametrize("case", ALL, ids=_name)
def test_what_is_there_already_is_told_from_other_failures(case: dict[str, Any]) -> None:
    assert existing.code(_diagnostic(case)) == case["code"]


@pytest.mark.parametrize("case", THERE, ids=_name)
def test_the_import_is_offered_with_its_id_or_the_way_to_it(case: dict[str, Any]) -> None:
    error = failure("west", [_diagnostic(case)], LOG, "failed with exit code 1", "eu-west-1")

    assert isinstance(error, TerraformError)
    assert f"{case['address']} ({case['code']})" in error.what
    assert f"\n    orchestrate import west {case['step']}\n" in error.fix
    assert "run this again" in error.fix
    assert str(LOG) in error.fix


@pytest.mark.parametrize(
    ("address", "ends"),
    [
        ("aws_subnet.a", "aws ec2 describe-subnets --region REGION"),
        (
            'module.peering_us-west-2_us-east-1["a b"].aws_vpc_peering_connection.this',
            "aws ec2 describe-vpc-peering-connections --region us-west-2",
        ),
        ("aws_efs_mount_target.a", "--file-system-id FS_ID --region REGION"),
    ],
)
def test_where_a_stack_is_in_several_regions_its_part_says_which(address: str, ends: str) -> None:
    conflict = Diagnostic("error", "api error InvalidSubnet.Conflict: x", "", address)
    _, fix = existing.told("mesh", [conflict])
    assert fix.splitlines()[1].endswith(ends)


def test_all_of_them_are_told_at_once_and_others_are_counted() -> None:
    quota = Diagnostic("error", "VpcLimitExceeded: no more", "", "aws_vpc.this")

    error = failure("west", [quota, *map(_diagnostic, THERE)], LOG, "failed with exit code 1")

    assert error.fix.count("orchestrate import west") == len(THERE)
    assert "1 other error: see logs/west.log" in error.fix


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_next_step_holds_no_word_of_aws_that_a_shell_would_obey(text: str) -> None:
    for kind in ("aws_launch_template", "aws_iam_policy", "aws_security_group", "aws_iam_role"):
        address = f"module.a.{kind}.this"
        error = Diagnostic("error", f"creating it ({text}): AlreadyExists", "", address)
        _, steps = existing.told("west", [error], "us-west-2")
        (line,) = [one for one in steps.split("\n") if one.startswith("    orchestrate import")]
        assert line.split()[:4] == ["orchestrate", "import", "west", address]
        named = text in line and len(text.strip()) > 2
        assert not named or re.fullmatch(r"[\w./:-]+", text, re.ASCII)
