"""What OpenSSH needs to know to reach hosts by their names. Pure: text and words, no connection.

A configuration can run programs (ProxyCommand, Match exec), so nothing becomes part of one but what
has the form of a name, an address, a login or a path: all else is refused, wherever it came from.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.inventory import Host
from orchestrate.plain_text import shown
from orchestrate.target import Target

CONNECT_SECONDS = 10
# No pattern (`*`, `!`), token (`%h`), quote, comment or space, and nothing ssh takes for an option.
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}")
# Between quotes OpenSSH still reads these, and `${HOME}`; not all versions let them be escaped.
_NOT_IN_PATH = re.compile(r"[\x00-\x1f\x7f\"\\]|\$\{")


@dataclass(frozen=True)
class Access:
    """How one gets in. `identity` is a private key; None leaves it to the operator's own agent
    and SSH settings. `known_hosts` is ours, so that an address used again by another instance
    never meets an old key. `settings` are the operator's, in OpenSSH's words.
    """

    known_hosts: Path
    identity: Path | None = None
    settings: str = "~/.ssh/config"


def access(work_folder: Path, target: Target) -> Access:
    """The way into a target's hosts; what is known of their keys stays in the work folder."""
    return Access(folder(work_folder, target) / "known_hosts", target.ssh_identity)


def folder(work_folder: Path, target: Target) -> Path:
    """Where what SSH has to know about a target is kept."""
    return work_folder / "ssh" / target.name


def key_alias(host: Host) -> str:
    """The name a host's key is known by: it goes with the machine, not with its address."""
    return host.instance_id or host.name


def ssh_config(hosts: Iterable[Host], access: Access) -> str:
    """An OpenSSH client configuration for the hosts that are up; made to be included in another.

    Every jump goes by name, so the bastion's own block applies to it as well.
    """
    up = [host for host in hosts if host.up and host.address]
    if not up:
        return "# no host is up\n"
    blocks = [_shared(up, access), *(_block(host) for host in up)]
    return "\n".join(blocks)


def whole_config(hosts: Iterable[Host], access: Access, more: str = "") -> str:
    """The configuration that OpenSSH is run with: ours, `more` of ours for every host, and after
    that the operator's settings, where it is his own keys that let him in.
    """
    theirs = f"\nHost *\n    Include {access.settings}\n" if access.identity is None else ""
    return ssh_config(hosts, access) + more + theirs


def openssh(config: Path, host: Host, command: Sequence[str] = ()) -> list[str]:
    """The words to run OpenSSH with; it joins those of `command` by spaces for a remote shell."""
    return ["ssh", "-F", str(config), word(host.name, "a host's name"), *command]


def _shared(up: Sequence[Host], access: Access) -> str:
    names = " ".join(name for host in up for name in _names(host))
    options = {
        # A port that the operator's settings give all hosts is not that of ours.
        "Port": "22",
        "UserKnownHostsFile": quoted(access.known_hosts),
        "StrictHostKeyChecking": "accept-new",
        "HashKnownHosts": "no",
        "UpdateHostKeys": "no",
        "ForwardAgent": "no",
        "ConnectTimeout": str(CONNECT_SECONDS),
        "ServerAliveInterval": "30",
    }
    if access.identity:
        options |= {"IdentityFile": quoted(access.identity), "IdentitiesOnly": "yes"}
    return _text(names, options)


def _block(host: Host) -> str:
    options = {
        "HostName": word(host.address, "an address"),
        "HostKeyAlias": word(key_alias(host), "a host's id"),
    }
    if host.user:
        options["User"] = word(host.user, "a login")
    if host.via:
        options["ProxyJump"] = word(host.via, "a host's name")
    return _text(" ".join(_names(host)), options)


def _names(host: Host) -> list[str]:
    return [word(name, "a host's name") for name in (host.name, host.instance_id) if name]


def _text(names: str, options: dict[str, str]) -> str:
    lines = [f"Host {names}", *(f"    {key} {value}" for key, value in options.items())]
    return "\n".join(lines) + "\n"


def word(text: str, what: str) -> str:
    """The text, if it can't mean anything but itself. Raises OrchestrateError."""
    if _WORD.fullmatch(text) is None:
        raise OrchestrateError(
            f"{what} is '{shown(text)}', which no SSH configuration can hold",
            fix="correct it where it comes from: a tag in EC2, or a fleet file",
        )
    return text


def quoted(path: Path) -> str:
    """A path as one word. Raises OrchestrateError for one that OpenSSH would read otherwise."""
    if _NOT_IN_PATH.search(str(path)):
        raise OrchestrateError(
            "OpenSSH can't be told this path",
            where=shown(path),
            fix="call the folder something without quotes, backslashes, ${ and control characters",
        )
    # ssh_config(5): these take tokens such as %h, and words end at spaces.
    return '"' + str(path).replace("%", "%%") + '"'
