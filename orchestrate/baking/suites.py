"""Holds an instance that becomes an image, or was made from one, against its role's suites.

Packer runs this as a program in the middle of a build, `python -m orchestrate.baking.suites FILE`;
whoever started Packer reads what failed from the file beside the logs.
"""

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from orchestrate import clock
from orchestrate.aws import instances
from orchestrate.aws.session import Session
from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.hosts import host_keys
from orchestrate.hosts.failures import Unreachable
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh import Connections
from orchestrate.hosts.ssh_config import Access
from orchestrate.images import copies
from orchestrate.shell import Stop
from orchestrate.target import Target
from orchestrate.verify import run as verify
from orchestrate.verify.checks import Check
from orchestrate.verify.verdicts import State, Verdict

# What the program reads the instance's address and id from; see `packer/image.pkr.hcl.j2`.
ADDRESS, INSTANCE = "BAKE_HOST", "BAKE_INSTANCE"
# From launch to SSH; some instance types take minutes.
BOOT_SECONDS, PAUSE_S = 300.0, 0.5
# How much longer than SSH a console may take to show the host's keys, and how often it is asked.
CONSOLE_SECONDS, CONSOLE_PAUSE_S = 120.0, 3.0


@dataclass(frozen=True)
class Subject:
    """What is tested on an instance, and by which way in.

    `identity` is the private key that lets `login` in, `node` the node JSON of its converge.
    `logs` becomes a folder with all that the suites did. It runs in a `region` of the `target`,
    whose API is at `endpoint` where it isn't AWS's own.
    """

    name: str
    role: str
    login: str
    identity: Path
    root: Path
    suites: tuple[str, ...]
    node: Mapping[str, Any]
    logs: Path
    region: str
    target: Literal["lab", "aws"] = "aws"
    endpoint: str | None = None


@dataclass(frozen=True)
class Failure:
    """One check that an image doesn't pass."""

    suite: str
    test: str
    where: str
    message: str

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.suite}: {self.test}{place}: {self.message}"


def run(
    subject: Subject, instance: str, address: str, session: Session, stop: Stop | None = None
) -> list[Failure]:
    """What an instance fails, once it lets us in; nothing if all is as it must be.

    It must be the one whose console AWS shows: Packer takes whatever answers at the address.
    Raises Unreachable, HostKeyChanged, Interrupted, and what `verify.run` raises.
    """
    host = _host(subject, instance, address)
    access = Access(subject.logs / "known_hosts", subject.identity)
    subject.logs.mkdir(parents=True, exist_ok=True)
    stop = stop or Stop()
    _until_its_keys_are_known(host, access, subject.region, session, stop)
    _until_it_answers(host, access, stop)
    check = Check(host, subject.suites, subject.node)
    verdicts = verify.run([check], access=access, root=subject.root, logs=subject.logs, stop=stop)
    return list(_failures(verdicts.hosts[0]))


def _until_its_keys_are_known(
    host: Host, access: Access, region: str, session: Session, stop: Stop
) -> None:
    """Wait until the console has shown the host's keys.

    Raises Unreachable where it never does, AwsError where it may not be read.
    """
    deadline = time.monotonic() + BOOT_SECONDS + CONSOLE_SECONDS

    def console(_: Host) -> str:
        return instances.console(session, region, host.instance_id)

    while host_keys.learn(access.known_hosts, [host], console):
        if time.monotonic() > deadline:
            raise Unreachable(
                "its console never showed the keys of its SSH server, so nobody knows whether "
                "what answers is it",
                where=host.name,
                fix="start it from an image whose cloud-init prints them (keys_to_console)",
            )
        copies.sleep(CONSOLE_PAUSE_S, stop, f"{host.name} was not tested")


def _until_it_answers(host: Host, access: Access, stop: Stop) -> None:
    """Wait for a host that boots. Raises Unreachable with the last reason, Interrupted."""
    deadline = time.monotonic() + BOOT_SECONDS
    while True:
        try:
            with Connections({host.name: host}, access, seconds=0) as ways:
                ways.open(host)
            return
        except Unreachable:
            if time.monotonic() > deadline:
                raise
        copies.sleep(PAUSE_S, stop, f"{host.name} was not tested")


def write(subject: Subject, file: Path) -> None:
    """Write the subject for the program."""
    document = {
        key: str(value) if isinstance(value, Path) else value
        for key, value in asdict(subject).items()
    }
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def read_failures(logs: Path) -> list[Failure]:
    """What the program found; nothing where it did not come to its end."""
    try:
        return [Failure(**one) for one in json.loads(_file(logs).read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []


def main(arguments: Sequence[str]) -> int:
    """Test the subject in a file; 1 if it fails anything."""
    subject = _read(Path(arguments[0]))
    session = Session(Target(subject.target, subject.endpoint, environment=os.environ))
    try:
        failures = run(subject, os.environ[INSTANCE], os.environ[ADDRESS], session)
    except OrchestrateError as error:
        print(error)
        return error.exit_code
    except KeyboardInterrupt:
        return Interrupted.exit_code
    _file(subject.logs).write_text(json.dumps([asdict(one) for one in failures], indent=2))
    for failure in failures:
        print(f"failed: {failure}")
    return 1 if failures else 0


def _host(subject: Subject, instance: str, address: str) -> Host:
    return Host(
        name=subject.name,
        place="",
        role=subject.role,
        group="",
        zone="",
        instance_id=instance,
        state="running",
        private_ip=address,
        public_ip=address,
        user=subject.login,
        launched=clock.now(),
    )


def _failures(verdict: Verdict) -> Iterator[Failure]:
    if verdict.state is State.UNREACHABLE:
        yield Failure("ssh", "answers", "", verdict.unreachable)
    for test in verdict.failures:
        yield Failure(test.suite, test.name, test.where, test.message)


def _read(file: Path) -> Subject:
    found = json.loads(file.read_text(encoding="utf-8"))
    paths = {key: Path(found[key]) for key in ("identity", "root", "logs")}
    return Subject(**{**found, **paths, "suites": tuple(found["suites"])})


def _file(logs: Path) -> Path:
    return logs / "failures.json"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
