"""What a VPC does for its hosts besides routing: the metadata service.

The sockets stand in the namespace of the VPC's router, on an address that only its hosts reach;
the threads that serve them are the daemon's, so they end with it however it ends.
"""

import secrets
import threading
from collections.abc import Callable
from functools import partial
from ipaddress import IPv4Address

from orchestrate.lab import metadata, metadata_server, namespaces
from orchestrate.lab.identity import Identity
from orchestrate.lab.metadata_server import MetadataServer
from orchestrate.lab.topology import Slot

# VPC id and private address of who asks.
Identify = Callable[[str, IPv4Address], Identity | None]


class VpcServices:
    """The services of all VPCs of a slot. Safe between threads."""

    def __init__(self, slot: Slot, identify: Identify) -> None:
        self._slot = slot
        self._identify = identify
        self._tokens = metadata.Tokens(secrets.token_bytes(32))
        self._servers: dict[str, MetadataServer] = {}
        self._lock = threading.Lock()

    def ensure(self, vpc_id: str) -> None:
        """Serve in the router of a VPC, which must stand. Raises CommandFailed, OSError."""
        with self._lock:
            if vpc_id not in self._servers:
                self._servers[vpc_id] = self._start(vpc_id)

    def retain(self, vpcs: set[str]) -> None:
        """End the services of all other VPCs: an open socket keeps a namespace alive."""
        with self._lock:
            for vpc_id in sorted(set(self._servers) - vpcs):
                server = self._servers.pop(vpc_id)
                server.shutdown()
                server.server_close()

    def _start(self, vpc_id: str) -> MetadataServer:
        router = self._slot.namespace(vpc_id)
        namespaces.ip([f"address replace {metadata.ADDRESS}/32 dev lo"], router)
        listening = namespaces.within(router, partial(metadata_server.listen, metadata.ADDRESS))
        server = MetadataServer(listening, partial(self._identify, vpc_id), self._tokens)
        name = f"metadata {vpc_id}"
        threading.Thread(target=server.serve_forever, name=name, daemon=True).start()
        return server
