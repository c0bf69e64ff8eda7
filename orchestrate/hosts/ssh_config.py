"""What OpenSSH needs to know to reach hosts by their names. Pure: text and words, no connection."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrate.hosts.inventory import Host
from orchestrate.target import Target

CONNECT_SECONDS = 10


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
    return ["ssh", "-F", str(config), host.name, *command]


def _shared(up: Sequence[Host], access: Access) -> str:
    names = " ".join(name for host in up for name in _names(host))
    options = {
        # A port that the operator's settings give all hosts is not that of ours.
        "Port": "22",
        "UserKnownHostsFile": _quoted(access.known_hosts),
        "StrictHostKeyChecking": "accept-new",
        "HashKnownHosts": "no",
        "UpdateHostKeys": "no",
        "ForwardAgent": "no",
        "ConnectTimeout": str(CONNECT_SECONDS),
        "ServerAliveInterval": "30",
    }
    if access.identity:
        options |= {"IdentityFile": _quoted(access.identity), "IdentitiesOnly": "yes"}
    return _text(names, options)


def _block(host: Host) -> str:
    options = {"HostName": host.address, "HostKeyAlias": key_alias(host)}
    if host.user:
        options["User"] = host.user
    if host.via:
        options["ProxyJump"] = host.via
    return _text(" ".join(_names(host)), options)


def _names(host: Host) -> list[str]:
    return [name for name in (host.name, host.instance_id) if name]


def _text(names: str, options: dict[str, str]) -> str:
    lines = [f"Host {names}", *(f"    {key} {value}" for key, value in options.items())]
    return "\n".join(lines) + "\n"


def _quoted(path: Path) -> str:
    # ssh_config(5): these take tokens such as %h, and words end at spaces.
    return '"' + str(path).replace("%", "%%") + '"'
