"""Host keys: learnt from a launch's console, kept in a known_hosts of ours. Text; no connection.

A key is known by the machine's id, not by its address (`ssh_config.key_alias`), so that an address
that another instance has taken over never meets an old key. The first word on a host's keys is the
fleet's (a rack's `host_key`), or its console's, which nobody between us and the host can forge;
only where neither says anything is the key of the first connection taken for good.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from orchestrate.errors import OrchestrateError
from orchestrate.fleet.shapes import key_blob_type
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import key_alias, word

# What cloud-init prints at an instance's first boot (its module keys_to_console), between CRLFs.
BEGIN, END = "-----BEGIN SSH HOST KEY KEYS-----", "-----END SSH HOST KEY KEYS-----"
MOST_AT_ONCE = 16
# RFC 4251, 6: names of algorithms, those of others with a domain.
_TYPE = re.compile(r"[a-z0-9][a-z0-9@._-]{0,63}")


@dataclass(frozen=True, order=True)
class HostKey:
    """A public key: its type as SSH names it, and its base64 text."""

    type: str
    text: str


@dataclass(frozen=True)
class Known:
    """A key that is on record, and the line (from 1) of the file it is in."""

    key: HostKey
    line: int


def on_console(text: str) -> list[HostKey]:
    """The keys a host showed on its console at its last first boot; none if it has not yet. Pure.

    Only a whole block counts: a console may be read while it is being written.
    """
    _, begun, rest = text.rpartition(BEGIN)
    inside, ended, _ = rest.partition(END)
    if not (begun and ended):
        return []
    return [key for line in inside.splitlines() if (key := _key(line.split()))]


def recorded(text: str) -> dict[str, list[Known]]:
    """The keys of a known_hosts file by alias. Pure; lines that aren't a plain key are skipped."""
    known: dict[str, list[Known]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        alias, *words = line.split() or [""]
        key = _key(words)
        if key and not alias.startswith(("#", "@", "|")):
            known.setdefault(alias, []).append(Known(key, number))
    return known


def read(known_hosts: Path) -> dict[str, list[Known]]:
    """What is on record; nothing if there is no file yet. Raises OrchestrateError."""
    try:
        return recorded(known_hosts.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OrchestrateError(
            f"the hosts' keys can't be read: {reason}",
            where=str(known_hosts),
            fix="make it a file that you may read and write, or move it away to learn them anew",
        ) from error


def record(known_hosts: Path, keys: Mapping[str, Iterable[HostKey]]) -> None:
    """Add the keys of aliases of which none is on record yet; safe between processes."""
    with _locked(known_hosts):
        have = read(known_hosts)
        lines = [
            f"{word(alias, 'the name of a key')} {key.type} {key.text}\n"
            for alias, found in keys.items()
            if alias not in have
            for key in found
        ]
        with known_hosts.open("a", encoding="utf-8") as file:
            file.writelines(lines)


def forget(known_hosts: Path, existing: Collection[str]) -> None:
    """Drop the keys of instances that are no more; `existing` are the ids of those that are."""
    _drop(known_hosts, {one for one in read(known_hosts) if one.startswith("i-")} - {*existing})


def pin(known_hosts: Path, hosts: Iterable[Host]) -> None:
    """Record the keys that the fleet gives, in place of any other that is on record."""
    known = read(known_hosts)
    given = {
        key_alias(host): key
        for host in hosts
        if host.host_key and (key := _key(host.host_key.split()))
    }
    new = {
        alias: [key]
        for alias, key in given.items()
        if [key] != [one.key for one in known.get(alias, ())]
    }
    _drop(known_hosts, new.keys() & known.keys())
    if new:
        record(known_hosts, new)


def _drop(known_hosts: Path, gone: Collection[str]) -> None:
    if not gone:
        return
    with _locked(known_hosts):
        lines = known_hosts.read_text(encoding="utf-8").splitlines(keepends=True)
        fresh = known_hosts.with_name(f"{known_hosts.name}.new")
        fresh.write_text("".join(line for line in lines if line.split(" ")[0] not in gone))
        fresh.replace(known_hosts)


def learn(
    known_hosts: Path, hosts: Sequence[Host], console: Callable[[Host], str]
) -> frozenset[str]:
    """Record what the consoles of hosts say whose keys are unknown; the names still unknown.

    `console` is asked for instances only: a rack's machine has none that we could read.
    """
    pin(known_hosts, hosts)
    known = read(known_hosts)
    unknown = [host for host in hosts if key_alias(host) not in known]
    askable = [host for host in unknown if host.instance_id and host.up]
    if askable:
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            told = pool.map(lambda host: on_console(console(host)), askable)
            found = {key_alias(h): keys for h, keys in zip(askable, told, strict=True) if keys}
        record(known_hosts, found)
        unknown = [host for host in unknown if key_alias(host) not in found]
    return frozenset(host.name for host in unknown)


def _key(words: Sequence[str]) -> HostKey | None:
    """A key of the words `ssh-ed25519 AAAA… comment`; None if they are something else."""
    if len(words) < 2:
        return None
    plain = key_blob_type(words[1]) == words[0] and _TYPE.fullmatch(words[0]) is not None
    return HostKey(words[0], words[1]) if plain else None


def _locked(known_hosts: Path) -> FileLock:
    known_hosts.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(f"{known_hosts}.lock")
