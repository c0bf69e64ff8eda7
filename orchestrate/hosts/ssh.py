"""Connections to hosts. The only importer of fabric and of paramiko beneath it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fabric import Config, Connection
from paramiko import BadHostKeyException, HostKeys, MissingHostKeyPolicy, PKey, SSHException

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import CONNECT_SECONDS, Access, key_alias

COMMAND_SECONDS = 20
_writing = threading.Lock()


class KnownByAlias(MissingHostKeyPolicy):  # type: ignore[misc]
    """OpenSSH's `accept-new` with `HostKeyAlias`, which paramiko lacks: a host's first key is
    written down under its alias, and any other key is refused from then on.
    """

    def __init__(self, alias: str, known_hosts: Path) -> None:
        self.alias = alias
        self.known_hosts = known_hosts

    def missing_host_key(self, _client: object, _hostname: str, key: PKey) -> None:
        with _writing:
            kept = self._kept()
            if kept is None:
                self._keep(key)
            elif kept.get(key.get_name()) != key:
                raise BadHostKeyException(self.alias, key, next(iter(kept.values())))

    def _kept(self) -> Mapping[str, PKey] | None:
        known = HostKeys(str(self.known_hosts) if self.known_hosts.exists() else None)
        kept: Mapping[str, PKey] | None = known.lookup(self.alias)
        return kept

    def _keep(self, key: PKey) -> None:
        self.known_hosts.parent.mkdir(parents=True, exist_ok=True)
        with self.known_hosts.open("a") as file:
            file.write(f"{self.alias} {key.get_name()} {key.get_base64()}\n")


def connect(host: Host, hosts: Mapping[str, Host], access: Access) -> Connection:
    """A connection to a host, not opened yet, through its bastion; `hosts` are all by name.

    Its commands read no input and end with an error after COMMAND_SECONDS, unless told otherwise.
    """
    gateway = connect(hosts[host.via], hosts, access) if host.via else None
    settings: dict[str, Any] = {
        # With a key of our own, the operator's SSH settings have no say.
        "load_ssh_configs": access.identity is None,
        "timeouts": {"connect": CONNECT_SECONDS, "command": COMMAND_SECONDS},
        "run": {"in_stream": False, "hide": True},
    }
    connection = Connection(
        host.address,
        user=host.user or None,
        gateway=gateway,
        config=Config(overrides=settings),
        connect_kwargs=_credentials(access),
    )
    connection.client.set_missing_host_key_policy(KnownByAlias(key_alias(host), access.known_hosts))
    return connection


def answers(host: Host, hosts: Mapping[str, Host], access: Access) -> bool:
    """Whether one can log in and run a command now.

    Raises OrchestrateError if the host shows another key than before.
    """
    connection = connect(host, hosts, access)
    try:
        return bool(connection.run("true", warn=True).ok)
    except BadHostKeyException as error:
        raise OrchestrateError(
            "the host shows another key than the first time; it may not be the same machine",
            where=host.name,
            fix=f"if you know why, remove {key_alias(host)} from {access.known_hosts}",
        ) from error
    # paramiko and the sockets below it raise all of these while a host boots.
    except (SSHException, OSError, EOFError):
        return False
    finally:
        _close(connection)


def _close(connection: Connection) -> None:
    connection.close()
    if isinstance(connection.gateway, Connection):
        _close(connection.gateway)


def _credentials(access: Access) -> dict[str, Any]:
    if access.identity is None:
        return {}
    return {"key_filename": str(access.identity), "allow_agent": False, "look_for_keys": False}
