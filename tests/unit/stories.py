"""A workplace whose Terraform has its part written down, and an operator, for tests of runs."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate import apply
from orchestrate.apply import HostsInUse, Plans, Request
from orchestrate.brought_up import Waits
from orchestrate.cli.progress import Silent
from orchestrate.converge import Observer as ConvergeObserver
from orchestrate.execution import Progress
from orchestrate.run_report import Report
from orchestrate.terraform.roots import Stack
from orchestrate.verify.run import Observer as VerifyObserver
from orchestrate.workplace import Workplace

ROOT = Path(__file__).parents[2]
STACKS = {
    "global": Stack("global", "us-west-2"),
    "east": Stack("east", "us-east-1", after=frozenset({"global"})),
    "west": Stack("west", "us-west-2", after=frozenset({"global"})),
    "mesh": Stack(
        "mesh",
        "us-west-2",
        after=frozenset({"global", "east", "west"}),
        reads=frozenset({"east", "west"}),
    ),
}


@dataclass
class Person:
    """An operator who gives the same answer each time, and remembers what was asked."""

    answer: bool = True
    shown: list[set[str]] = field(default_factory=list)
    asked: list[set[str]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    hosts: list[list[str]] = field(default_factory=list)

    def still_waiting(self, changes: Mapping[str, int]) -> None:
        raise AssertionError("no host is to be brought up here")

    def tell(self, line: str) -> None:
        self.told.append(line)

    def stopping(self) -> None:
        """Nobody presses Ctrl-C here."""

    def progress(self) -> AbstractContextManager[Progress]:
        return nullcontext(Silent())

    def show(self, plans: Plans) -> None:
        self.shown.append(set(plans))

    @property
    def on_hosts_in_use(self) -> HostsInUse:
        return "ask"

    def agrees(self, plans: Plans, hosts: Sequence[str]) -> bool:
        self.hosts.append(list(hosts))
        self.asked.append(set(plans))
        return self.answer

    def waiting(self) -> AbstractContextManager[Waits]:
        raise AssertionError("no host is to be brought up here")

    def converging(self, hosts: int) -> AbstractContextManager[ConvergeObserver]:
        raise AssertionError("no host is to be brought up here")

    def verifying(self, hosts: int) -> AbstractContextManager[VerifyObserver]:
        raise AssertionError("no host is to be brought up here")


@dataclass(frozen=True)
class Story:
    """A workplace whose stacks do what the test writes down for them."""

    work: Workplace

    def writes(self, stack: str, *changes: tuple[str, str], fails: bool = False) -> None:
        """`changes` are (action, address) in Terraform's words."""
        lines = [_planned(action, address) for action, address in changes]
        for folder in (self.work.build / stack, self.work.leaving / stack):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "plan.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            (folder / "apply.code").write_text("1" if fails else "0")

    def exists(self, *stacks: str, serial: int = 1) -> None:
        """The stacks have been applied: their states hold something."""
        for stack in stacks:
            self.work.session.s3("us-west-2").put_object(
                Bucket=self.work.bucket.name, Key=f"{stack}.tfstate", Body=state_of(serial)
            )

    def joins(self, *keys: str) -> None:
        """Mesh has been applied, with a delegation for each key."""
        instances = [{"index_key": key} for key in keys]
        record = {
            "mode": "managed",
            "type": "aws_route53_record",
            "name": "delegation",
            "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
            "instances": instances,
        }
        body = json.dumps({"lineage": "abc", "serial": 1, "resources": [record]})
        self.work.session.s3("us-west-2").put_object(
            Bucket=self.work.bucket.name, Key="mesh.tfstate", Body=body.encode()
        )

    def asked(self, stack: str) -> list[str]:
        notes = [folder / stack / "asked" for folder in (self.work.build, self.work.leaving)]
        return [word for note in notes if note.exists() for word in note.read_text().split()]

    def run(self, person: Person, *targets: str, **options: object) -> Report:
        request = Request("apply", ("orchestrate",), targets, not targets, **options)  # type: ignore[arg-type]
        return apply.apply(self.work, request, person)


def _planned(action: str, address: str) -> dict[str, object]:
    resource = {"addr": address, "resource_type": address.partition("[")[0].split(".")[-2]}
    return {"type": "planned_change", "change": {"resource": resource, "action": action}}


def state_of(serial: int) -> bytes:
    resources = [{"mode": "managed", "instances": [{}]}]
    return json.dumps({"lineage": "abc", "serial": serial, "resources": resources}).encode()


def outcomes(report: Report) -> dict[str, str]:
    return {stack: str(result.outcome) for stack, result in report.applied.items()}
