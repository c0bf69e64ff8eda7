"""What can go wrong on demand. Pure data; a pattern has the wildcards of a shell."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from orchestrate.errors import LabError
from orchestrate.lab.call import Call

ApiKind = Literal["throttle", "unavailable", "deny", "slow", "drop", "lose"]
LaunchKind = Literal["no-capacity", "launch-failure"]
HostKind = Literal["hang", "reboot", "network", "fail", "interrupt"]


@dataclass(frozen=True)
class Launch:
    """An instance about to be launched; `group` is its auto scaling group's name, or ""."""

    instance_type: str
    region: str
    zone: str
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What all faults have.

    `rate` is the share of requests struck, 0 to 1: which ones, `seed` decides. It ends after
    `count` strikes and at `until`, in seconds since the epoch; None means never.
    """

    kind: str
    name: str = ""
    rate: float = 1.0
    seed: int = 0
    count: int | None = None
    until: float | None = None

    def concerns(self, request: Call | Launch) -> bool:
        """Whether it is about such a request at all."""
        return False

    @property
    def scope(self) -> str:
        """What it is about, for people."""
        return ""

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ApiFault(Fault):
    """Calls of the API answered badly, late (by `delay_s` seconds) or not at all.

    "lose" is about calls that write, each time an SDK sends one first: the next gets its answer.
    """

    service: str = "*"
    action: str = "*"
    region: str = "*"
    delay_s: float = 0.0

    def concerns(self, request: Call | Launch) -> bool:
        return (
            isinstance(request, Call)
            and (self.kind != "lose" or (request.attempt == 1 and not request.reads))
            and _match(request.service, self.service)
            and _match(request.action, self.action)
            and _match(request.region, self.region)
        )

    @property
    def scope(self) -> str:
        late = f" by {self.delay_s:g} s" if self.delay_s else ""
        return f"{self.service} {self.action} in {self.region}{late}"


@dataclass(frozen=True, kw_only=True)
class LaunchFault(Fault):
    """Instances that are not launched: of a type in a `place` (zone or region), or of a group."""

    instance_type: str = "*"
    place: str = "*"
    group: str = "*"

    def concerns(self, request: Call | Launch) -> bool:
        return (
            isinstance(request, Launch)
            and _match(request.instance_type, self.instance_type)
            and (_match(request.zone, self.place) or _match(request.region, self.place))
            and _match(request.group, self.group)
        )

    @property
    def scope(self) -> str:
        whose = "" if self.group == "*" else f" of group {self.group}"
        return f"{self.instance_type} in {self.place}{whose}"


@dataclass(frozen=True, kw_only=True)
class HostFault(Fault):
    """A host that hangs, loses its network or its machine, reboots, or is taken back by spot."""

    kind: HostKind
    instance_id: str

    @property
    def scope(self) -> str:
        return self.instance_id


def fault_of(document: Mapping[str, Any]) -> Fault:
    """The fault that `Fault.document` wrote. Raises LabError for what is none."""
    shapes: list[tuple[Any, type[Fault]]] = [
        (ApiKind, ApiFault),
        (LaunchKind, LaunchFault),
        (HostKind, HostFault),
    ]
    kinds = {kind: shape for kind_type, shape in shapes for kind in get_args(kind_type)}
    shape = kinds.get(str(document.get("kind")))
    if shape is None:
        raise LabError(f"no such kind of fault; there are: {', '.join(kinds)}")
    if unknown := sorted(set(document) - {field.name for field in fields(shape)}):
        raise LabError(f"a fault of kind {document['kind']} has no {', '.join(unknown)}")
    return shape(**document)


def _match(text: str, pattern: str) -> bool:
    return fnmatchcase(text.lower(), pattern.lower())
