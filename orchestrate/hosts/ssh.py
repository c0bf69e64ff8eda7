"""Connections to hosts. The only importer of fabric and of paramiko beneath it.

One connection a host, opened when first asked for and kept; all hosts behind a bastion share its
one connection. A bastion's sshd drops unauthenticated connections beyond ten at once (MaxStartups),
and a key exchange costs more than most of what is asked of a host afterwards.
"""

from __future__ import annotations

import logging
import os
import shlex
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from fabric import Config, Connection
from paramiko import Agent, AuthenticationException, MissingHostKeyPolicy, PKey, SSHException

from orchestrate import clock
from orchestrate.errors import OrchestrateError
from orchestrate.hosts import host_keys, ssh_settings
from orchestrate.hosts.channel import Answer, execute
from orchestrate.hosts.failures import ConnectionLost, Unreachable, explain, key_changed
from orchestrate.hosts.host_keys import HostKey
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import CONNECT_SECONDS, Access, key_alias
from orchestrate.hosts.ssh_settings import Settings
from orchestrate.shell import Stop

COMMAND_SECONDS = 20
# A host that was launched this recently may be booting still, and is asked again until it is up.
BOOT_SECONDS = 60.0
# Any other is asked again this long: for a sshd that restarts, and a lost packet.
HICCUP_SECONDS = 3.0
FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 0.3, 3.0, 1.5
# What paramiko and the sockets below it raise while a host is away, boots, or refuses.
FAILURES = (SSHException, OSError, EOFError)

FirstUse = Callable[[Host], None]

# Errors say what went wrong; without a handler Python would print paramiko's log as well.
logging.getLogger("paramiko").addHandler(logging.NullHandler())


class KnownByAlias(MissingHostKeyPolicy):  # type: ignore[misc]
    """OpenSSH's `accept-new` with `HostKeyAlias`, which paramiko lacks: a key is looked up under
    the host's alias; the first of a host is kept, any other than those kept is refused.
    """

    def __init__(self, host: Host, access: Access, first_use: FirstUse = lambda _: None) -> None:
        self.host = host
        self.known_hosts = access.known_hosts
        self.first_use = first_use

    def missing_host_key(self, _client: object, _hostname: str, key: PKey) -> None:
        alias, shown = key_alias(self.host), HostKey(key.get_name(), key.get_base64())
        known = host_keys.read(self.known_hosts).get(alias)
        if not known:
            host_keys.record(self.known_hosts, {alias: [shown]})
            self.first_use(self.host)
        elif shown not in [one.key for one in known]:
            raise key_changed(self.host, self.known_hosts, known)


class Connections:
    """Ways to hosts, each opened once and kept. Safe between threads; close it when done.

    `hosts` are all by name, so that bastions are found. `first_use` hears of every host whose key
    was taken as it came. A host that doesn't let us in is asked again for `seconds` (0: once); None
    is as long as it may be booting.
    """

    def __init__(
        self,
        hosts: Mapping[str, Host],
        access: Access,
        *,
        first_use: FirstUse = lambda _: None,
        seconds: float | None = None,
    ) -> None:
        self._hosts = hosts
        self._seconds = seconds
        self._access = access
        self._first_use = first_use
        self._ways: dict[str, _Way] = {}
        self._making = threading.Lock()
        self.closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def run(
        self,
        host: Host,
        command: str,
        stdin: bytes = b"",
        *,
        on_output: Callable[[bytes], None] = lambda _: None,
        seconds: float = COMMAND_SECONDS,
    ) -> Answer:
        """Run a command on a host to its end, connecting first where that is needed.

        `on_output` gets what it prints as it comes. Raises Unreachable if no connection comes to
        be, HostKeyChanged, and ConnectionLost if it ends or the command takes over `seconds`.
        """
        transport = self.open(host).transport
        try:
            return execute(transport, command, stdin, on_output=on_output, seconds=seconds)
        except FAILURES as error:
            said = str(error) or "it ended"
            raise ConnectionLost(f"the connection is lost: {said}", where=host.name) from error

    def run_anew(self, host: Host, command: str, *, seconds: float = COMMAND_SECONDS) -> Answer:
        """Log in once more, beside the kept connection, and run a command. Raises as `run`."""
        connection = _persistently(host, lambda: self._connect(host), HICCUP_SECONDS)
        try:
            return execute(connection.transport, command, seconds=seconds)
        except FAILURES as error:
            raise ConnectionLost(f"the connection is lost: {error}", where=host.name) from error
        finally:
            connection.close()

    def open(self, host: Host) -> Connection:
        """The open connection of a host. Raises Unreachable and HostKeyChanged."""
        seconds = patience(host, clock.now()) if self._seconds is None else self._seconds
        return self._way(host).open(lambda: self._connect(host), seconds)

    def end_on_repeat(self, stop: Stop) -> None:
        """Close at the second request to stop: what has begun on hosts goes on without us."""
        # In a thread: closing may wait for a silent host, and who hears signals must not.
        stop.on_repeat(lambda: threading.Thread(target=self.close, daemon=True).start())

    def close(self) -> None:
        """End all connections; commands that are at work raise ConnectionLost."""
        self.closed = True
        with self._making:
            ways = dict(self._ways)
        # Those through others first; a bastion's goes last.
        for name in sorted(ways, key=lambda name: self._hosts[name].via is None):
            ways[name].close()

    def _way(self, host: Host) -> _Way:
        with self._making:
            return self._ways.setdefault(host.name, _Way(host))

    def _connect(self, host: Host) -> Connection:
        if self.closed:
            raise Unreachable("not tried any more")
        gateway = self._gateway(self._hosts[host.via]) if host.via else None
        settings = ssh_settings.of(host, self._hosts, self._access)
        connection = _connection(host, gateway, settings)
        policy = KnownByAlias(host, self._access, self._first_use)
        connection.client.set_missing_host_key_policy(policy)
        connection.open()
        return connection

    def _gateway(self, door: Host) -> Connection:
        try:
            return self.open(door)
        except Unreachable as error:
            what = f"{door.name}, which leads to it, is unreachable: {error.what}"
            raise Unreachable(what, fix=error.fix) from error


class _Way:
    """The one connection of a host, and the lock that keeps it one."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._failure: OrchestrateError | None = None
        self._failed_at = 0.0

    def open(self, connect: Callable[[], Connection], seconds: float) -> Connection:
        asked = time.monotonic()
        with self._lock:
            if self._connection is not None and self._connection.is_connected:
                return self._connection
            if self._failure and self._failed_at > asked:
                # While we waited for the lock somebody else has tried: fifty hosts behind a dead
                # bastion wait for one timeout, not for fifty.
                raise self._failure
            try:
                self._connection = _persistently(self._host, connect, seconds)
            except OrchestrateError as failure:
                self._failure, self._failed_at = failure, time.monotonic()
                raise
            return self._connection

    def close(self) -> None:
        # Without the lock: closing is how another thread's wait on this connection is ended.
        if self._connection is not None:
            self._connection.close()


def patience(host: Host, now: datetime) -> float:
    """How many seconds to go on asking a host that doesn't let us in. Pure."""
    age = (now - host.launched).total_seconds() if host.launched else BOOT_SECONDS
    return max(BOOT_SECONDS - age, HICCUP_SECONDS)


def answers(host: Host, hosts: Mapping[str, Host], access: Access) -> bool:
    """Whether one can log in and run a command now.

    Raises OrchestrateError if the host shows another key than before.
    """
    with Connections(hosts, access, seconds=0) as ways:
        try:
            return ways.run(host, "true").code == 0
        except (Unreachable, ConnectionLost):
            return False


class _Through(Connection):  # type: ignore[misc]
    """A connection whose gateway must answer in time: paramiko would wait for an hour."""

    def open_gateway(self) -> Any:
        return self.gateway.transport.open_channel(
            kind="direct-tcpip",
            dest_addr=(self.host, int(self.port)),
            src_addr=("", 0),
            timeout=CONNECT_SECONDS,
        )


def _connection(host: Host, gateway: Connection | None, settings: Settings) -> Connection:
    # Lazy: neither fabric.yaml and invoke.yaml nor ~/.ssh/config are read; `settings` are all.
    config = Config(overrides={"timeouts": {"connect": CONNECT_SECONDS}}, lazy=True)
    return (_Through if gateway else Connection)(
        host.address,
        user=settings.user or None,
        port=settings.port,
        # As OpenSSH does: by a shell.
        gateway=gateway or (settings.proxy and f"sh -c {shlex.quote(settings.proxy)}") or None,
        config=config,
        forward_agent=False,
        connect_kwargs={**_credentials(settings), **_timeouts()},
    )


def _persistently(host: Host, connect: Callable[[], Connection], seconds: float) -> Connection:
    """Try until it works or `seconds` have passed. Raises Unreachable, HostKeyChanged."""
    if not host.up or not host.address:
        raise Unreachable(f"it is {host.state}" if not host.up else "it has no address")
    deadline, pause = time.monotonic() + seconds, FIRST_PAUSE
    while True:
        try:
            return connect()
        except FAILURES as error:
            if time.monotonic() + pause > deadline:
                refused = isinstance(error, AuthenticationException)
                raise explain(host, error, refused=refused) from error
        time.sleep(pause)
        pause = min(pause * GROWTH, LONGEST_PAUSE)


def _timeouts() -> dict[str, Any]:
    return {"banner_timeout": CONNECT_SECONDS, "auth_timeout": CONNECT_SECONDS}


def _credentials(settings: Settings) -> dict[str, Any]:
    if settings.agent:
        # The one place where paramiko looks for an agent.
        os.environ["SSH_AUTH_SOCK"] = settings.agent
    asked = settings.agent is not None
    keys = [str(key) for key in settings.identities if key.is_file() and os.access(key, os.R_OK)]
    return {
        "key_filename": keys,
        "pkey": _offered(settings) if asked and settings.alone else None,
        "allow_agent": asked and not settings.alone,
        "look_for_keys": False,
    }


def _offered(settings: Settings) -> PKey | None:
    """Of the agent's keys the first that is one of the identities, by their public halves."""
    halves = (key.with_name(f"{key.name}.pub") for key in settings.identities)
    public = {word for half in halves if half.is_file() for word in half.read_text().split()}
    return next((key for key in Agent().get_keys() if key.get_base64() in public), None)
