"""What of `mesh` joins one cluster to the others, from mesh's state. Pure.

Each instance of a mesh resource, or of the module around it, has the clusters that it is about in
its key: `["cluster-a"]`, `["cluster-a in cluster-b"]`, `["cluster-a cluster-b"]`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from orchestrate.terraform.state import parse

_LAST_KEY = re.compile(r'\["((?:[^"\\]|\\.)*)"\]$')


def of(state: bytes | None, clusters: Set[str]) -> tuple[str, ...]:
    """Terraform's addresses of what mesh has for these clusters: whole modules, and resources.

    Raises `state.Unreadable`.
    """
    resources = [one for one in parse(state).get("resources", ()) if one.get("mode") == "managed"]
    found = (address for one in resources for address in _addresses(one, clusters))
    return tuple(sorted(set(found)))


def _addresses(resource: Mapping[str, Any], clusters: Set[str]) -> Iterator[str]:
    module = resource.get("module", "")
    key = _LAST_KEY.search(module)
    if key:
        if _about(key[1], clusters):
            yield module
        return
    for instance in resource["instances"]:
        index = instance.get("index_key")
        if isinstance(index, str) and _about(index, clusters):
            yield f"{resource['type']}.{resource['name']}[{json.dumps(index)}]"


def _about(key: str, clusters: Set[str]) -> bool:
    return not clusters.isdisjoint(key.split())
