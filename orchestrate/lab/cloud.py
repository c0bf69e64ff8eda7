"""What the lab's hosts ask of the API they belong to. `api.RunningApi` is it."""

import socket
from typing import Protocol

from orchestrate.lab.identity import Identity
from orchestrate.lab.names import Names


class Server(Protocol):
    """As much of `socketserver.BaseServer` as is used."""

    def serve_forever(self, poll_interval: float = 0.5) -> None:
        """Serve until `shutdown`, which another thread calls."""

    def shutdown(self) -> None:
        """End `serve_forever`."""

    def server_close(self) -> None:
        """Close the socket."""


class Cloud(Protocol):
    """Called from any thread, and never with a lock of the hosts' held."""

    def identity(self, region: str, instance_id: str) -> Identity | None:
        """What an instance may know of itself; None once it is terminated."""

    def names(self, vpc_id: str) -> Names:
        """What the resolver of a VPC knows."""

    def serve(self, listening: socket.socket) -> Server:
        """The API for hosts, over TLS, on a socket that is its from now on; not serving yet."""

    def powered_off(self, region: str, instance_id: str) -> None:
        """A host was shut down from inside: the instance stops, or is terminated."""

    def layers(self) -> set[str]:
        """The layers that images, snapshots and instances stand on."""

    def interrupt(self, region: str, instance_id: str) -> None:
        """Take a spot instance back, two minutes from now. Raises LabError for what is none."""
