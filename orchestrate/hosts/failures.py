"""Why a host could not be worked on, in words for whoever must mend it. Pure."""

from collections.abc import Sequence
from pathlib import Path

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.host_keys import Known
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import CONNECT_SECONDS, key_alias


class Unreachable(OrchestrateError):
    """No connection came to be within its time, so nothing was done to the host."""


class HostKeyChanged(OrchestrateError):
    """The host shows another key than the one on record; nothing was sent to it."""


class ConnectionLost(OrchestrateError):
    """The connection ended, or went silent, before the command did."""


def explain(host: Host, error: Exception, *, refused: bool) -> Unreachable:
    """What an error of connecting means; `refused` says that the host took none of our keys."""
    if refused:
        who = host.user or "the user of your SSH settings"
        return Unreachable(
            f"the host refuses our SSH key for {who}",
            fix="see which keys you offer (`ssh-add -l`), and whether the host was launched with "
            "the fleet's key pair (`ssh_public_key` in fleet.yaml)",
        )
    if host.instance_id and host.role != "bastion" and not host.via:
        return Unreachable(
            "there is no way to it: its cluster has no running bastion",
            fix=f"see `orchestrate hosts {host.place}`",
        )
    said = str(error).strip() or type(error).__name__
    where = f"{host.address} through {host.via}" if host.via else host.address
    return Unreachable(f"SSH to {where} fails: {_plain(said)}", fix=_next_step(host))


def does_not_run(what: str, said: str) -> Unreachable:
    """The login's shell, or its startup files, kept our command from being run."""
    words = f", and said: {said}" if said else ""
    return Unreachable(
        f"its login's shell doesn't run what it is given: {what}{words}",
        fix="log in with `orchestrate ssh`; its startup files (.bashrc, .cshrc) may neither exit "
        "nor ask, and the login needs a shell",
    )


def key_changed(host: Host, known_hosts: Path, known: Sequence[Known]) -> HostKeyChanged:
    """Names what to change, and why one shouldn't lightly."""
    lines = ", ".join(str(one.line) for one in known)
    many = "lines" if len(known) > 1 else "line"
    return HostKeyChanged(
        f"the host shows another key than the one on record in {known_hosts}:{known[0].line}; "
        "another machine may be answering in its place, and would see all we send",
        where=host.name,
        fix="if you know that the host was set up anew, "
        + (
            f"give its new key as `host_key` in the file of {host.place}"
            if host.host_key
            else f"remove {many} {lines} ({key_alias(host)}) and try again"
        ),
    )


def _plain(said: str) -> str:
    """paramiko's words, where they don't say it."""
    if "Timeout opening channel" in said or "timed out" in said.lower():
        return f"no answer within {CONNECT_SECONDS} s"
    if "protocol banner" in said:
        return "it takes the connection and then says nothing: frozen, overloaded, or shutting down"
    return said


def _next_step(host: Host) -> str:
    if host.instance_id:
        return f"look at its console output in EC2 ({host.instance_id}), or at `orchestrate hosts`"
    return "look whether the machine is on, and at its cable"
