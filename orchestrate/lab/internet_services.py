"""What the lab's internet offers beside the VPCs on it: Debian's archives, names,
the time, and AWS itself.

The sockets stand in the internet's namespace, so a host gets there as to any public address, by
its routes and gateways or not at all. The threads that serve them are the daemon's.
"""

import socket
import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path

from orchestrate.lab import apt, namespaces, resolver_server, rootfs, time_server
from orchestrate.lab.cloud import Cloud, Server
from orchestrate.lab.names import Names
from orchestrate.lab.packages import archives, door
from orchestrate.lab.packages.door import PackageServer
from orchestrate.lab.packages.store import Store
from orchestrate.lab.resolver_server import TcpResolver, UdpResolver
from orchestrate.lab.time_server import TimeServer
from orchestrate.lab.topology import Slot

LOOK_EVERY_S = 2.0
HTTPS = 443


class InternetServices:
    """The services of a slot's internet; kept files are below `cache`.

    `cloud` knows the public names there are, None where there is none.
    """

    def __init__(self, slot: Slot, cache: Path, cloud: Callable[[], Cloud | None]) -> None:
        self._slot = slot
        self._cloud = cloud
        self._cache = cache
        self._store = Store(cache / "packages", lambda: self._upstreams)
        self._servers: list[Server] = []

    def open(self) -> None:
        """Serve in the internet's namespace, which must stand. Raises OSError."""
        self._store.prune()
        self._servers += namespaces.within(self._slot.internet, self._listen)
        for server in self._servers:
            serve = partial(server.serve_forever, LOOK_EVERY_S)
            name = f"{type(server).__name__} internet"
            threading.Thread(target=serve, name=name, daemon=True).start()

    def close(self) -> None:
        """End them: an open socket keeps a namespace alive."""
        for server in self._servers:
            # Its thread ends by itself, some time after there is nothing to serve.
            threading.Thread(target=server.shutdown, daemon=True).start()
            server.server_close()
        self._servers.clear()

    def _listen(self) -> list[Server]:
        address, cloud = self._slot.services_address, self._cloud()
        servers: list[Server] = [
            PackageServer(door.listen(address), self._store),
            UdpResolver(resolver_server.bind_udp(address), self._names),
            TcpResolver(resolver_server.listen_tcp(address), self._names),
            TimeServer(time_server.bind(address)),
        ]
        if cloud:
            servers.append(cloud.serve(socket.create_server((str(address), HTTPS), backlog=64)))
        return servers

    @cached_property
    def _upstreams(self) -> Mapping[str, str]:
        """This machine's sources now, else those its root file system was built from."""
        lines = apt.sources(rootfs.SUITE) or rootfs.sources(rootfs.folder(self._cache))
        return archives.upstreams(lines)

    def _names(self) -> Names:
        """What the world knows: no VPC's private names."""
        cloud = self._cloud()
        known = cloud.names("") if cloud else Names()
        return Names(public=[*known.public, *archives.zones(self._slot.services_address)])
