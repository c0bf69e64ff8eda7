"""Labs for tests: real daemons in folders of their own, on whatever slot is free."""

import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from orchestrate import shell
from orchestrate.lab import record, secret
from orchestrate.lab.client import environment
from orchestrate.lab.paths import FOLDER_VARIABLE, LabFiles
from orchestrate.lab.record import LabRecord
from orchestrate.lab.secret import LabSecret
from tests.lab.patience import PATIENCE_S

if TYPE_CHECKING:
    from tests.lab.chef_host import ChefHost
    from tests.lab.cloud import Cloud
    from tests.lab.vendors import Vendors

ROOT = Path(__file__).parents[2]
# The fleet that tests act on: the repository's own is the reader's to change.
EXAMPLE = ROOT / "tests" / "golden" / "example" / "fleet"
_accounts = itertools.count(100_000_000_001)


@dataclass(frozen=True)
class LabFolder:
    """A lab driven as its users do, by the command line, with a state folder of its own."""

    files: LabFiles

    def orchestrate(self, *arguments: str) -> shell.Finished:
        """`orchestrate lab ARGUMENTS...` in a process of its own, and in no repository: there it
        would start the racks of that one's sites.
        """
        return shell.run(
            [sys.executable, "-P", "-m", "orchestrate", "lab", *arguments],
            cwd=self.files.folder.parent,
            env={
                **os.environ,
                FOLDER_VARIABLE: str(self.files.folder),
                "PYTHONPATH": str(ROOT),
            },
            timeout_s=PATIENCE_S,
            check=False,
        )

    def up(self, *arguments: str) -> LabRecord:
        done = self.orchestrate("up", *arguments)
        assert done.code == 0, done.stderr
        return self.record

    @property
    def secret(self) -> LabSecret:
        """What its owner's credentials are derived from, of which tests get no others."""
        return secret.read(self.files)

    @property
    def record(self) -> LabRecord:
        found = record.read(self.files.record)
        assert found is not None
        return found


@dataclass(frozen=True)
class Account:
    """An AWS account in a running lab that nobody else uses."""

    number: str
    lab: LabFolder

    @property
    def environment(self) -> dict[str, str]:
        """What Terraform and the AWS SDKs need to be this account in this lab."""
        return environment(self.lab.record.endpoint, self.number, self.lab.files, self.lab.secret)

    def client(self, service: str, region: str = "us-west-2", **credentials: str) -> Any:
        """A client for any service, with this account's credentials or those given."""
        key = self.lab.secret.access_key(self.number)
        own = {"aws_access_key_id": self.number, "aws_secret_access_key": key}
        return boto3.client(  # type: ignore[call-overload]  # any service, by name
            service,
            region_name=region,
            endpoint_url=self.lab.record.endpoint,
            **{**own, **credentials},
        )


def started(folder: Path, *arguments: str) -> Iterator[LabFolder]:
    lab = LabFolder(LabFiles(folder))
    try:
        lab.up(*arguments)
        yield lab
    finally:
        assert lab.orchestrate("down").code == 0


@pytest.fixture(scope="session")
def lab_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabFolder]:
    """A running lab without hosts, shared by the session: use an account of your own in it."""
    yield from started(tmp_path_factory.mktemp("lab-api"), "--no-hosts")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabFolder]:
    """A running lab with real hosts, shared by the session; skips where there can be none."""
    from orchestrate.lab.hosts import missing

    if why := missing():
        pytest.skip(f"no real hosts here: {why}")
    yield from started(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="module")
def internet(
    lab: LabFolder, request: pytest.FixtureRequest
) -> Iterator[tuple["Vendors", "ChefHost"]]:
    """A host that answers for vendors' sites, the module's NAMES, and one that takes it for them,
    in two accounts, the module's NUMBERS.
    """
    from tests.lab.vendors import vendors_and_host

    with vendors_and_host(lab, request.module.NUMBERS, request.module.NAMES) as made:
        yield made


@pytest.fixture(scope="module")
def vendors(internet: tuple["Vendors", "ChefHost"]) -> "Vendors":
    return internet[0]


@pytest.fixture(scope="module")
def host(internet: tuple["Vendors", "ChefHost"]) -> "ChefHost":
    return internet[1]


@pytest.fixture
def account(lab_api: LabFolder) -> Account:
    """A fresh account in the lab without hosts."""
    return Account(str(next(_accounts)), lab_api)


@pytest.fixture
def cloud(account: Account) -> "Cloud":
    """A small network in the fresh account, for launching into."""
    from tests.lab.cloud import build

    return build(account)


@pytest.fixture
def empty_folder(tmp_path: Path) -> Iterator[LabFolder]:
    """A lab that is not up; whatever a test starts in it is ended afterwards."""
    lab = LabFolder(LabFiles(tmp_path / "lab"))
    yield lab
    lab.orchestrate("down")
