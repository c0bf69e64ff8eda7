"""The VPC's resolver on the network, over UDP and TCP: `resolver.answer` decides everything."""

import socket
import struct
from collections.abc import Callable
from ipaddress import IPv4Address
from socketserver import BaseRequestHandler, StreamRequestHandler, ThreadingTCPServer, UDPServer

from orchestrate.lab.names import Names
from orchestrate.lab.resolver import answer

PORT = 53
LARGEST = 65535  # bytes of a message over TCP
PATIENCE_S = 10.0

Known = Callable[[], Names]


class UdpResolver(UDPServer):
    """Answers one datagram after the other: each takes less than a thread would."""

    def __init__(self, bound: socket.socket, known: Known) -> None:
        super().__init__(bound.getsockname(), Datagram, bind_and_activate=False)
        self.socket.close()
        self.socket = bound
        self.known = known


class TcpResolver(ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, listening: socket.socket, known: Known) -> None:
        super().__init__(listening.getsockname(), Stream, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.known = known


class Datagram(BaseRequestHandler):
    server: UdpResolver

    def handle(self) -> None:
        query, door = self.request
        if told := answer(query, self.server.known()):
            door.sendto(told, self.client_address)


class Stream(StreamRequestHandler):
    """Messages with their length in front (RFC 1035, 4.2.2), until the client ends."""

    server: TcpResolver
    timeout = PATIENCE_S

    def handle(self) -> None:
        while len(length := self.rfile.read(2)) == 2:
            query = self.rfile.read(struct.unpack("!H", length)[0])
            told = answer(query, self.server.known(), LARGEST)
            if told is None:
                return
            self.wfile.write(struct.pack("!H", len(told)) + told)


def bind_udp(address: IPv4Address) -> socket.socket:
    """A socket for datagrams in the calling thread's network namespace."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    bound.bind((str(address), PORT))
    return bound


def listen_tcp(address: IPv4Address) -> socket.socket:
    """A listening socket in the calling thread's network namespace."""
    return socket.create_server((str(address), PORT))
