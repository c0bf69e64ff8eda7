"""What a VPC does for its hosts besides routing: metadata, names and the time.

The sockets stand in the namespace of the VPC's router, on addresses that only its hosts reach;
the threads that serve them are the daemon's, so they end with it however it ends.
"""

import secrets
import threading
from collections.abc import Callable, Sequence
from functools import partial
from ipaddress import IPv4Address, IPv4Network
from socketserver import BaseServer

from orchestrate.lab import metadata, metadata_server, namespaces, resolver_server, time_server
from orchestrate.lab.cloud import Cloud
from orchestrate.lab.identity import Identity
from orchestrate.lab.metadata_server import MetadataServer
from orchestrate.lab.names import Names
from orchestrate.lab.packages import archives
from orchestrate.lab.resolver_server import TcpResolver, UdpResolver
from orchestrate.lab.spec import AnySpec, HostSpec
from orchestrate.lab.time_server import TimeServer
from orchestrate.lab.topology import Slot, resolver

RESOLVER = IPv4Address("169.254.169.253")  # the same in every VPC
# How often a server's thread looks whether it should end; requests wait for nothing.
LOOK_EVERY_S = 2.0


class VpcServices:
    """The services of all VPCs of a slot. Safe between threads.

    `specs` lists the hosts there are; `cloud` knows what they may, None where hosts have none.
    """

    def __init__(
        self,
        slot: Slot,
        specs: Callable[[], Sequence[AnySpec]],
        cloud: Callable[[], Cloud | None],
    ) -> None:
        self._slot = slot
        self._specs = specs
        self._cloud = cloud
        self._tokens = metadata.Tokens(secrets.token_bytes(32))
        self._servers: dict[str, list[BaseServer]] = {}
        self._lock = threading.Lock()

    def ensure(self, vpc_id: str, cidr: IPv4Network) -> None:
        """Serve in the router of a VPC, which must stand. Raises CommandFailed, OSError."""
        with self._lock:
            if vpc_id not in self._servers:
                self._servers[vpc_id] = self._start(vpc_id, cidr)

    def retain(self, vpcs: set[str]) -> None:
        """End the services of all other VPCs: an open socket keeps a namespace alive."""
        with self._lock:
            gone = [self._servers.pop(vpc_id) for vpc_id in sorted(set(self._servers) - vpcs)]
        for server in (each for servers in gone for each in servers):
            # Its thread ends by itself, some time after there is nothing to serve.
            threading.Thread(target=server.shutdown, daemon=True).start()
            server.server_close()

    def _start(self, vpc_id: str, cidr: IPv4Network) -> list[BaseServer]:
        router = self._slot.namespace(vpc_id)
        own = (metadata.ADDRESS, RESOLVER, time_server.ADDRESS)
        namespaces.ip([f"address replace {address}/32 dev lo" for address in own], router)
        servers = namespaces.within(router, partial(self._open, vpc_id, resolver(cidr)))
        for server in servers:
            name = f"{type(server).__name__} {vpc_id}"
            serve = partial(server.serve_forever, LOOK_EVERY_S)
            threading.Thread(target=serve, name=name, daemon=True).start()
        return servers

    def _open(self, vpc_id: str, base_plus_two: IPv4Address) -> list[BaseServer]:
        http = metadata_server.listen(metadata.ADDRESS)
        servers: list[BaseServer] = [
            MetadataServer(http, partial(self._identify, vpc_id), self._tokens),
            TimeServer(time_server.bind(time_server.ADDRESS)),
        ]
        known = partial(self._names, vpc_id)
        for address in (base_plus_two, RESOLVER):
            servers.append(UdpResolver(resolver_server.bind_udp(address), known))
            servers.append(TcpResolver(resolver_server.listen_tcp(address), known))
        return servers

    def _identify(self, vpc_id: str, address: IPv4Address) -> Identity | None:
        instances = (one for one in self._specs() if isinstance(one, HostSpec))
        asking = (one for one in instances if (one.vpc_id, one.private_ip) == (vpc_id, address))
        spec, cloud = next(asking, None), self._cloud()
        return cloud.identity(spec.region, spec.instance_id) if spec and cloud else None

    def _names(self, vpc_id: str) -> Names:
        cloud = self._cloud()
        known = cloud.names(vpc_id) if cloud else Names()
        return Names(known.private, [*known.public, *archives.zones(self._slot.services_address)])
