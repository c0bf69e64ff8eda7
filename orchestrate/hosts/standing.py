"""What hosts say they were last converged to, asked of many at once."""

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh import Connections

COMMAND = "sudo -n cat /var/lib/orchestrate/converged.json"


@dataclass(frozen=True)
class Converged:
    """The last converge that succeeded: the archive's digest, the SHA-256 of its node JSON, by
    which client, and when (RFC 3339).
    """

    archive: str
    node: str
    client: str = ""
    at: str = ""


def parse(text: str) -> Converged | None:
    """A host's `converged.json`; None if it has none that can be read. Pure."""
    try:
        found = json.loads(text)
        said = (found["archive"], found["node"], found.get("client", ""), found.get("at", ""))
        return Converged(*map(str, said))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def ask(
    ways: Connections, hosts: Iterable[Host], parallel: int
) -> dict[str, Converged | OrchestrateError | None]:
    """By host: what it was converged to, None if it never was, or why it could not be asked."""

    def one(host: Host) -> Converged | OrchestrateError | None:
        try:
            return parse(ways.run(host, COMMAND).text)
        except OrchestrateError as error:
            return error

    hosts = list(hosts)
    with ThreadPoolExecutor(max(parallel, 1)) as pool:
        return dict(zip((host.name for host in hosts), pool.map(one, hosts), strict=True))
