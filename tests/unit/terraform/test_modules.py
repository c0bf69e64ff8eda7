"""The modules and roots as files: complete, described, laid out as Terraform does."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.roots import MODULES

GOLDEN = Path(__file__).parents[2] / "golden"
FILES = {"main.tf", "variables.tf", "outputs.tf", "versions.tf", "README.md"}
BLOCK = re.compile(r'^(variable|output) "(\w+)" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
SKIP = re.compile(r"#checkov:skip=(\S+?)(?::(.*))?$", re.MULTILINE)
NAMES = sorted(folder.name for folder in MODULES.iterdir() if folder.is_dir())


@pytest.mark.parametrize("folder", [MODULES, GOLDEN], ids=["modules", "rendered roots"])
def test_terraform_would_lay_out_no_file_otherwise(folder: Path) -> None:
    argv = [*find_engine(os.environ).argv, "fmt", "-check", "-recursive", "-diff", str(folder)]
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("module", NAMES)
def test_a_module_has_the_files_people_look_for(module: str) -> None:
    assert {file.name for file in (MODULES / module).iterdir()} >= FILES


@pytest.mark.parametrize("module", NAMES)
def test_every_variable_is_typed_and_every_variable_and_output_described(module: str) -> None:
    text = "".join(file.read_text() for file in (MODULES / module).glob("*.tf"))
    blocks = BLOCK.findall(text)
    assert blocks
    assert not [name for _, name, body in blocks if "  description = " not in body]
    variables = [(name, body) for kind, name, body in blocks if kind == "variable"]
    assert not [name for name, body in variables if not re.search(r"^  type +=", body, re.M)]


def test_every_skipped_check_says_why() -> None:
    files = [*MODULES.rglob("*.tf"), *(MODULES.parent / "roots").rglob("*.j2")]
    skips = [skip for file in files for skip in SKIP.findall(file.read_text())]
    assert skips
    assert not [check for check, reason in skips if len(reason.split()) < 4]


def test_no_deprecated_way_of_writing_is_used() -> None:
    text = "".join(file.read_text() for file in MODULES.rglob("*.tf"))
    # The old elastic address, inline rules, routes and bucket settings, the region by its name.
    deprecated = r"\bvpc += true|\b(ingress|egress|route) \{|\bacl +=|data\.aws_region\.\w+\.name"
    assert not re.findall(deprecated, text)
