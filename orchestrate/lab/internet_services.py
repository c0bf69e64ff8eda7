"""What the lab's internet offers beside the VPCs on it: Debian's package archives.

The socket stands in the internet's namespace, so a host gets there as to any public address, by
its routes and gateways or not at all. The threads that serve it are the daemon's.
"""

import functools
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from socketserver import BaseServer

from orchestrate.lab import apt, namespaces, rootfs
from orchestrate.lab.packages import archives, door
from orchestrate.lab.packages.door import PackageServer
from orchestrate.lab.packages.store import Store
from orchestrate.lab.topology import Slot

LOOK_EVERY_S = 2.0


class InternetServices:
    """The services of a slot's internet; kept files are below `cache`."""

    def __init__(self, slot: Slot, cache: Path) -> None:
        self._slot = slot
        self._store = Store(cache / "packages", _upstreams)
        self._servers: list[BaseServer] = []

    def open(self) -> None:
        """Serve in the internet's namespace, which must stand. Raises OSError."""
        self._store.prune()
        address = self._slot.package_address
        listening = namespaces.within(self._slot.internet, partial(door.listen, address))
        server = PackageServer(listening, self._store)
        self._servers.append(server)
        serve = partial(server.serve_forever, LOOK_EVERY_S)
        threading.Thread(target=serve, name="packages", daemon=True).start()

    def close(self) -> None:
        """End them: an open socket keeps a namespace alive."""
        for server in self._servers:
            # Its thread ends by itself, some time after there is nothing to serve.
            threading.Thread(target=server.shutdown, daemon=True).start()
            server.server_close()
        self._servers.clear()


@functools.cache
def _upstreams() -> Mapping[str, str]:
    return archives.upstreams(apt.sources(rootfs.SUITE))
