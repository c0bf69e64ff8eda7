"""Real Terraform takes into its state what exists already; its built-in resource needs no cloud."""

import json
import os
from pathlib import Path

import pytest

from orchestrate.environment import terraform as environment
from orchestrate.errors import TerraformError
from orchestrate.shell import Stop
from orchestrate.target import Target
from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.root import Root
from orchestrate.terraform.run import Terraform


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "west").mkdir()
    (tmp_path / "west" / "main.tf").write_text('resource "terraform_data" "first" {}\n')
    return Root("west", tmp_path / "west", tmp_path / "west.log")


@pytest.fixture
def terraform(tmp_path: Path) -> Terraform:
    config = tmp_path / "terraform.tfrc"
    config.touch()
    made = environment(os.environ, Target("aws"), cli_config=config, bytes_each=0)
    return Terraform(find_engine(os.environ), made, Stop(), lock_timeout_s=0)


def test_what_exists_is_brought_into_the_state(terraform: Terraform, root: Root) -> None:
    terraform.bring_in(root, "terraform_data.first", "an-id-of-before")

    known = json.loads((root.folder / "terraform.tfstate").read_text())["resources"]
    assert [one["instances"][0]["attributes"]["id"] for one in known] == ["an-id-of-before"]


def test_what_is_in_no_file_is_not_brought_in_and_terraform_says_why(
    terraform: Terraform, root: Root
) -> None:
    with pytest.raises(TerraformError, match=r"terraform_data\.second"):
        terraform.bring_in(root, "terraform_data.second", "an-id")
