"""Commands run as an operator runs them, on a copy of the example fleet and a real AWS API.

The target is `aws`, but for its endpoint and keys: a run against AWS obeys no endpoint of the
environment's.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from orchestrate.cli.context import Context
from orchestrate.cli.main import cli
from orchestrate.target import Target
from tests.unit.conftest import keys

EXAMPLE = Path(__file__).parents[2] / "golden" / "example" / "fleet"
Run = Callable[..., Result]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "repository" / "fleet")
    return tmp_path / "repository"


@pytest.fixture
def on_aws(monkeypatch: pytest.MonkeyPatch, endpoint: str, tmp_path: Path) -> None:
    """An empty account of AWS, and nothing else of this machine's AWS settings."""
    real = Context.target

    def target(self: Context, name: str) -> Target:
        return Target("aws", endpoint_url=endpoint) if name == "aws" else real(self, name)

    monkeypatch.setattr(Context, "target", target)
    monkeypatch.setenv("ORCHESTRATE_TARGET", "aws")
    for variable, value in keys().items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.delenv("AWS_PROFILE", raising=False)


@pytest.fixture
def orchestrate(repository: Path) -> Run:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["--root", str(repository), *arguments])

    return run
