"""Twenty stacks initialised at once by the real Terraform, which has nothing in any cache (S4).

The provider is a small file in place of 0.7 GB: `init` installs it and runs it not.
"""

import os
import platform
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrate.environment import terraform as environment
from orchestrate.errors import MissingTool
from orchestrate.shell import Stop
from orchestrate.target import Target
from orchestrate.terraform import provider_lock
from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.providers import AWS, VARIABLE, cli_config
from orchestrate.terraform.root import Root
from orchestrate.terraform.run import Terraform

pytestmark = pytest.mark.lab
MANY = 20
VERSION = AWS.version
PLATFORM = f"linux_{'arm64' if platform.machine() == 'aarch64' else 'amd64'}"
ROOT = """\
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.100" }
  }
  backend "local" {}
}
"""


def a_mirror(folder: Path, registry: str) -> Path:
    """The folder of the provider, unpacked, in a mirror."""
    place = folder / registry / "hashicorp" / "aws" / VERSION / PLATFORM
    place.mkdir(parents=True)
    program = place / f"terraform-provider-aws_v{VERSION}_x5"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    return place


def test_s4_twenty_stacks_initialised_at_once_share_one_provider(tmp_path: Path) -> None:
    engine = find_engine(os.environ)
    provider = a_mirror(tmp_path / "mirror", engine.registry)
    caller = {**os.environ, VARIABLE: str(tmp_path / "mirror")}

    def initialised(number: int) -> Path:
        folder = tmp_path / f"stack-{number}"
        folder.mkdir()
        (folder / "main.tf").write_text(ROOT)
        config = cli_config(engine, caller, tmp_path / "cache")
        variables = environment(caller, Target("aws"), cli_config=config, bytes_each=2**30)
        root = Root(folder.name, folder, tmp_path / f"{folder.name}.log")
        assert Terraform(engine, variables, Stop()).init(root)
        (installed,) = folder.glob(".terraform/providers/*/*/*/*/linux_*")
        return installed.resolve()

    with ThreadPoolExecutor(MANY) as pool:
        installed = set(pool.map(initialised, range(MANY)))

    assert installed == {provider}, "every stack uses the same copy"
    assert len(list((tmp_path / "cache").glob("*.tfrc"))) == 1


def test_a_provider_that_was_not_released_is_refused_and_never_run(tmp_path: Path) -> None:
    """Whoever can write where providers are taken from would else run as the operator."""
    engine = find_engine(os.environ)
    checksums = provider_lock.before_init(engine.registry, tmp_path / "cache")
    if not checksums:
        pytest.fail(f"nothing is committed of {engine.registry}")
    provider = a_mirror(tmp_path / "mirror", engine.registry)
    (program,) = provider.iterdir()
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/run\nexit 1\n")
    caller = {**os.environ, VARIABLE: str(tmp_path / "mirror")}
    config = cli_config(engine, caller, tmp_path / "cache")
    variables = environment(caller, Target("aws"), cli_config=config, bytes_each=2**30)
    (tmp_path / "main.tf").write_text(ROOT)
    root = Root("west", tmp_path, tmp_path / "west.log")
    with pytest.raises(MissingTool, match="not the one that HashiCorp released"):
        Terraform(engine, variables, Stop(), checksums=checksums).init(root)
    assert not (tmp_path / "run").exists()
