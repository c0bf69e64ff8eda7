"""Which files of Debian's archives a host asks for, and where they really are. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address

from orchestrate.lab.names import Records, Zone

# A mirror of the cloud's own, as AWS has for the distributions it carries: where this machine gets
# its packages is its own affair, and need not even have a name.
MIRROR = "archive.lab.internal"
ARCHIVES = ("debian", "debian-security")
SECURITY = "-security"

# One plain folder or file after the other: nothing climbs out of the folder where files are kept.
_PATH = re.compile(r"/(?P<archive>[a-z-]+)(?P<rest>(/[A-Za-z0-9_+~:-][A-Za-z0-9._+~:-]*)+)")
_ENTRY = re.compile(r"deb (\[[^]]*\] )?(?P<uri>\S+) (?P<suite>\S+)")
_BY_HASH = re.compile(r"/by-hash/SHA256/(?P<digest>[0-9a-f]{64})$")


@dataclass(frozen=True)
class ArchiveFile:
    """A file of an archive: `rest` is its path there, with a slash in front."""

    archive: str
    rest: str

    @property
    def path(self) -> str:
        """Its place among kept files."""
        return f"{self.archive}{self.rest}"

    @property
    def lasting(self) -> bool:
        """Whether it never changes: a package of one version, or an index named by its hash."""
        return self.rest.startswith("/pool/") or "/by-hash/" in self.rest

    @property
    def digest(self) -> str:
        """Its SHA-256 where the name says it, else ""."""
        found = _BY_HASH.search(self.rest)
        return found["digest"] if found else ""


def asked_for(host: str, path: str) -> ArchiveFile | None:
    """The file a request is for, by its Host header and path; None for what isn't Debian's."""
    named = host.partition(":")[0].lower() == MIRROR
    found = _PATH.fullmatch(path.replace("%2b", "+").replace("%2B", "+").replace("%7e", "~"))
    if not named or found is None or found["archive"] not in ARCHIVES:
        return None
    return ArchiveFile(found["archive"], found["rest"])


def sources_list(suite: str) -> str:
    """What a host has in sources.list. Pure."""
    return "".join(
        f"deb http://{MIRROR}/{archive} {each} main\n"
        for archive, each in (
            ("debian", suite),
            ("debian", f"{suite}-updates"),
            ("debian-security", f"{suite}{SECURITY}"),
        )
    )


def upstreams(sources: Iterable[str]) -> Mapping[str, str]:
    """Where each archive really is, from `deb [OPTIONS] URI SUITE …` lines; others are skipped."""
    found: dict[str, str] = {}
    for line in sources:
        if entry := _ENTRY.match(line):
            archive = "debian-security" if entry["suite"].endswith(SECURITY) else "debian"
            found.setdefault(archive, entry["uri"].rstrip("/"))
    return found


def list_on_host(name: str, upstreams: Mapping[str, str]) -> str:
    """What a package list that apt wrote on this machine is called on a host, which has it from the
    lab's mirror; "" for one of another archive. Pure.

    apt names a list by its URI, with underscores for slashes.
    """
    for archive, uri in upstreams.items():
        here = uri.partition("://")[2].replace("/", "_") + "_dists_"
        if name.startswith(here):
            return f"{MIRROR}_{archive}_dists_{name.removeprefix(here)}"
    return ""


def zones(door: IPv4Address) -> tuple[Zone, ...]:
    """The mirror's name, leading to the lab's door to the archives."""
    return (Zone(f"{MIRROR}.", {(f"{MIRROR}.", "A"): Records((str(door),))}),)
