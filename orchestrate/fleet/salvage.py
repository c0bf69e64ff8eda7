"""What is left of a broken file, so that rules can look at the rest in the same run. Pure.

Only what no rule would miss is left out or replaced: a false finding is worse than a late one.
What comes out is for rules to look at, never to act on.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from orchestrate.fleet.document import Data

Parsed = TypeVar("Parsed", bound=BaseModel)
Steps = tuple[str | int, ...]

_ACCOUNT = "000000000000"
# Right values for what no rule compares with anything; the pools lie where nobody has a range.
_STAND_INS: Mapping[Steps, object] = {
    ("account",): _ACCOUNT,
    ("addresses", "external"): [],
    ("addresses", "quarantine_days"): 30,
    **{
        ("addresses", "pools", pool): {"range": f"100.127.255.{16 * index}/28"}
        for index, pool in enumerate(("cloud", "pods", "services", "sites", "vpn"))
    },
    ("bastion", "allow_ssh_from"): ["0.0.0.0/0"],
    ("domain",): "lab.example.net",
    ("gateway", "public_address"): "192.0.2.1",
    ("images", "*", "name"): "*",
    ("images", "*", "owner"): _ACCOUNT,
    ("images", "*", "user"): "admin",
    ("state",): {"region": "us-east-1"},
}
# Other parts of the fleet refer to these; without them, rules would see mistakes that are none.
_REFERRED_TO = ("instance_types", "racks")


def salvage(data: Data, model: type[Parsed], error: ValidationError) -> Parsed | None:
    """The model without what `error` is about; None where too little is left."""
    kept = deepcopy(data)
    for one in error.errors(include_url=False):
        _mend(kept, one["loc"], model)
    try:
        return model.model_validate(kept)
    except ValidationError:
        return None


def _mend(kept: Data, path: Steps, model: type[BaseModel]) -> None:
    top = str(path[0])
    field = model.model_fields.get(top)
    right = _stand_in(path) if field else None
    groups = kept.get("node_groups")
    if right:
        _put(kept, *right)
    elif top == "node_groups" and len(path) > 1 and isinstance(groups, dict):
        groups.pop(path[1], None)
    elif field is None or not (field.is_required() or top in _REFERRED_TO):
        kept.pop(top, None)


def _stand_in(path: Steps) -> tuple[Steps, object] | None:
    """The path to replace, and the value; None where nothing stands in for what is at `path`."""
    for pattern, right in _STAND_INS.items():
        steps = path[: len(pattern)]
        if len(steps) == len(pattern) and all(
            wanted in ("*", step) for wanted, step in zip(pattern, steps, strict=True)
        ):
            return steps, right
    return None


def _put(kept: Data, path: Steps, value: object) -> None:
    inner: object = kept
    for step in path[:-1]:
        inner = inner.get(str(step)) if isinstance(inner, dict) else None
    if isinstance(inner, dict):
        inner[str(path[-1])] = value
