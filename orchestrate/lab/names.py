"""What a VPC's resolver knows, and how a name is looked up in it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

LONGEST_CHAIN = 8  # CNAMEs after one another


@dataclass(frozen=True)
class Records:
    """All records of one name and type; `values` as a zone file has them, `ttl_s` seconds."""

    values: tuple[str, ...]
    ttl_s: int = 60


@dataclass(frozen=True)
class Zone:
    """Records by name (lower case, with the last dot) and type, e.g. `("a.example.", "A")`."""

    name: str
    records: Mapping[tuple[str, str], Records] = field(default_factory=dict)


@dataclass(frozen=True)
class Names:
    """What a VPC resolves: its own zones hide public ones of the same name."""

    private: Sequence[Zone] = ()
    public: Sequence[Zone] = ()


@dataclass(frozen=True)
class Found:
    """An answer, in order: records with their name and type. Not `exists`: no such name."""

    exists: bool
    records: tuple[tuple[str, str, Records], ...] = ()


def look_up(name: str, kind: str, names: Names) -> Found:
    """Records of a name and type (`A`, `TXT`, …), through CNAMEs.

    https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/hosted-zone-private-considerations.html:
    the most specific private zone that matches answers alone, even if it has no such name.
    """
    found: list[tuple[str, str, Records]] = []
    name = name.lower()
    for _ in range(LONGEST_CHAIN):
        zone = _zone_of(name, names)
        owner = _owner(name, zone) if zone else ""
        if zone is None or not owner:
            return Found(exists=False, records=tuple(found))  # of the last name: RFC 6604
        if records := zone.records.get((owner, kind)):
            found.append((name, kind, records))
            break
        alias = zone.records.get((owner, "CNAME"))
        if alias is None:
            break
        found.append((name, "CNAME", alias))
        name = alias.values[0].lower().rstrip(".") + "."
    return Found(exists=True, records=tuple(found))


def _zone_of(name: str, names: Names) -> Zone | None:
    for zones in (names.private, names.public):
        matching = [zone for zone in zones if f".{name}".endswith(f".{zone.name}")]
        if matching:
            return max(matching, key=lambda zone: len(zone.name))
    return None


def _owner(name: str, zone: Zone) -> str:
    """Whose records answer: the name's own or those of the nearest wildcard; "" when none do."""
    owners = {owner for owner, _ in zone.records}
    return next((each for each in _candidates(name, zone.name) if each in owners), "")


def _candidates(name: str, zone: str) -> Iterator[str]:
    yield name
    while name != zone and "." in name.rstrip("."):
        name = name.partition(".")[2]
        yield f"*.{name}"
