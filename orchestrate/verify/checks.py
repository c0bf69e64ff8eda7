"""What is to be verified: hosts, the suites of each, and what their node JSON expects. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from orchestrate.errors import OrchestrateError

if TYPE_CHECKING:
    # The pytest process reads nodes files, and would wait long for the fleet's models.
    from orchestrate.hosts.inventory import Host


@dataclass(frozen=True)
class Check:
    """One host and what to hold it against.

    `suites` are folders of `tests/infra`, named after the cookbooks of the host's role; a cookbook
    without a suite may be named. `node` is the host's node JSON as its converge gets it. `doors`
    are the hosts that SSH jumps through, the one that the host's `via` names first.
    """

    host: Host
    suites: tuple[str, ...]
    node: Mapping[str, object]
    doors: tuple[Host, ...] = ()


@dataclass(frozen=True)
class Node:
    """A check as the pytest process knows it.

    `door` is the host that SSH jumps through, or ""; `down` says why nobody need knock, or "".
    """

    name: str
    suites: tuple[str, ...]
    orchestrate: Mapping[str, object]
    door: str = ""
    down: str = ""


@dataclass(frozen=True)
class Nodes:
    """All that a pytest process has to know of its hosts: `suites` and `ssh_config` are paths."""

    suites: str
    ssh_config: str
    nodes: Mapping[str, Node]


def dump(nodes: Nodes) -> str:
    """The text of a nodes file, for `pytest tests/infra --nodes FILE`."""
    hosts = [asdict(one) for one in nodes.nodes.values()]
    document = {"suites": nodes.suites, "ssh_config": nodes.ssh_config, "hosts": hosts}
    return json.dumps(document, indent=2) + "\n"


def parse(text: str, where: str) -> Nodes:
    """A nodes file from its text. Raises OrchestrateError where it isn't one."""
    try:
        document = json.loads(text)
        hosts = [_node(one) for one in document["hosts"]]
        return Nodes(document["suites"], document["ssh_config"], {one.name: one for one in hosts})
    except (ValueError, KeyError, TypeError) as wrong:
        raise OrchestrateError(
            f"not a nodes file: {wrong!r}", where=where, fix="`orchestrate verify` writes one"
        ) from wrong


def nodes(checks: Sequence[Check], known: frozenset[str], suites: str, ssh_config: str) -> Nodes:
    """The checks for the pytest process; of their suites those that are `known` to exist."""
    named = {
        check.host.name: Node(
            check.host.name,
            tuple(suite for suite in check.suites if suite in known),
            _expected(check.node),
            check.doors[0].name if check.doors else "",
            _down(check.host),
        )
        for check in checks
    }
    return Nodes(suites, ssh_config, named)


def _expected(node: Mapping[str, object]) -> Mapping[str, object]:
    """The part of a node JSON that is ours; the rest is Chef's."""
    expected = node.get("orchestrate", {})
    return expected if isinstance(expected, Mapping) else {}


def _down(host: Host) -> str:
    if not host.up:
        return f"it is {host.state}"
    return "" if host.address else "it has no address"


def _node(one: Mapping[str, object]) -> Node:
    suites, expected = one["suites"], one["orchestrate"]
    if not isinstance(suites, list) or not isinstance(expected, dict):
        raise TypeError(one)
    name, door, down = (str(one[key]) for key in ("name", "door", "down"))
    return Node(name, tuple(map(str, suites)), expected, door, down)
