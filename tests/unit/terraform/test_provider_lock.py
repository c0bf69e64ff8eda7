"""Providers must have the committed checksums: where these stand, and what is added to them."""

import re
from pathlib import Path

import pytest

from orchestrate.terraform.provider_lock import (
    COMMITTED,
    before_init,
    checksums,
    keep,
    without_checksums,
)
from orchestrate.terraform.providers import AWS
from orchestrate.terraform.roots import TERRAFORM

REGISTRY = "registry.terraform.io"


LOCKED = """\
# This file is maintained automatically by "terraform init".

provider "registry.terraform.io/hashicorp/aws" {
  version     = "5.100.0"
  constraints = ">= 5.0.0, < 7.0.0"
  hashes = [
    "h1:edXOJWE4ORX8Fm+dpVpICzMZJat4AX0VRCAy/xkcOc0=",
    "zh:0000000000000000000000000000000000000000000000000000000000000000",
  ]
}

provider "registry.terraform.io/hashicorp/tls" {
  version = "4.0.0"
  hashes = [
    "h1:abc=",
  ]
}
"""


def test_a_lock_file_without_checksums_still_pins_the_versions() -> None:
    assert (
        without_checksums(LOCKED)
        == """\
# This file is maintained automatically by "terraform init".

provider "registry.terraform.io/hashicorp/aws" {
  version     = "5.100.0"
  constraints = ">= 5.0.0, < 7.0.0"
}

provider "registry.terraform.io/hashicorp/tls" {
  version = "4.0.0"
}
"""
    )
    assert without_checksums(without_checksums(LOCKED)) == without_checksums(LOCKED)


def test_what_is_committed_is_what_the_modules_ask_for() -> None:
    text = COMMITTED.read_text()
    assert f'provider "{REGISTRY}/{AWS.source}"' in text
    assert f'version     = "{AWS.version}"' in text
    (constraint,) = re.findall(r'constraints = "(.*)"', text)
    asked = [
        found
        for pattern in ("modules/*/versions.tf", "roots/versions.tf.j2")
        for file in TERRAFORM.glob(pattern)
        for found in re.findall(r'version +(?:=|:) "(~>.*|>=.*)"', file.read_text())
        if not found.startswith(">= 1.")
    ]
    assert len(asked) > 3
    assert set(asked) == {constraint}


def committed(folder: Path) -> Path:
    file = folder / "committed.hcl"
    file.write_text(LOCKED)
    return file


def test_a_root_gets_the_committed_checksums(tmp_path: Path) -> None:
    assert before_init(REGISTRY, tmp_path / "cache", committed(tmp_path)) == LOCKED


def test_of_a_registry_of_which_nothing_is_committed_there_are_none(tmp_path: Path) -> None:
    assert before_init("registry.opentofu.org", tmp_path / "cache", committed(tmp_path)) == ""


def test_what_was_added_for_this_platform_counts_with_the_committed_ones(tmp_path: Path) -> None:
    more = LOCKED.replace('    "zh:0', '    "h1:of-this-platform=",\n    "zh:0', 1)
    (tmp_path / "written.hcl").write_text(more)
    keep(tmp_path / "written.hcl", tmp_path)
    assert before_init(REGISTRY, tmp_path, committed(tmp_path)) == more


@pytest.mark.parametrize("kept", ["", LOCKED.replace("5.100.0", "5.99.0").replace("zh:0", "zh:1")])
def test_what_was_kept_of_another_version_counts_no_more(tmp_path: Path, kept: str) -> None:
    (tmp_path / "written.hcl").write_text(kept)
    keep(tmp_path / "written.hcl", tmp_path)
    assert before_init(REGISTRY, tmp_path, committed(tmp_path)) == LOCKED


def test_all_checksums_of_a_lock_file_are_read() -> None:
    assert len(checksums(LOCKED)) == 3
