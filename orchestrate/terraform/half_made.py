"""Resources that were being made when Terraform was interrupted, and which to keep. Pure.

An interrupt makes the AWS provider give up whatever it waits for ("context canceled"), within a
second. Terraform then marks as tainted what has an id already, and the next plan would make another
in its place: of a zone with its name servers, of a network with all that is in it. But these were
made well: nobody waited for them to be through, that is all. So their taint is lifted, and the next
plan looks at each, and completes what it lacks. A resource that *failed* stays tainted.
"""

import json
from collections.abc import Iterable

from orchestrate.terraform.events import Diagnostic, Event, ResourceFailed
from orchestrate.terraform.state import parse

GIVEN_UP = "context canceled"

# It may fail after it was made, and Terraform reads a failed one as if it were whole.
MAY_FAIL_LATER = frozenset({"aws_nat_gateway"})


def half_made(events: Iterable[Event]) -> tuple[str, ...]:
    """The addresses whose making was given up because of an interrupt, sorted."""
    found = tuple(events)
    making = {e.address for e in found if isinstance(e, ResourceFailed) and e.action == "create"}
    given_up = {
        each.address
        for each in found
        if isinstance(each, Diagnostic) and GIVEN_UP in f"{each.summary} {each.detail}"
    }
    return tuple(sorted(filter(_stays_as_made, making & given_up)))


def _stays_as_made(address: str) -> bool:
    return not any(f".{type_}." in f".{address}" for type_ in MAY_FAIL_LATER)


def tainted(state: bytes | None) -> frozenset[str]:
    """The addresses of a state's resources that the next plan would replace, because of a taint."""
    return frozenset(
        _address(resource, instance.get("index_key"))
        for resource in parse(state).get("resources", ())
        for instance in resource["instances"]
        if instance.get("status") == "tainted"
    )


def _address(resource: dict[str, str], key: str | int | None) -> str:
    module = f"{resource['module']}." if "module" in resource else ""
    index = "" if key is None else f"[{json.dumps(key)}]"
    return f"{module}{resource['type']}.{resource['name']}{index}"
