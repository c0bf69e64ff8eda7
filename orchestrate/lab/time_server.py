"""The VPC's time service on the network: this machine's clock, by `ntp.answer`.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
"""

import socket
import time
from ipaddress import IPv4Address
from socketserver import BaseRequestHandler, UDPServer

from orchestrate.lab.ntp import answer

ADDRESS = IPv4Address("169.254.169.123")  # the same in every VPC
PORT = 123


class TimeServer(UDPServer):
    """Answers one datagram after the other."""

    def __init__(self, bound: socket.socket) -> None:
        super().__init__(bound.getsockname(), Datagram, bind_and_activate=False)
        self.socket.close()
        self.socket = bound


class Datagram(BaseRequestHandler):
    server: TimeServer

    def handle(self) -> None:
        received = time.time_ns()
        query, door = self.request
        if told := answer(query, received, time.time_ns()):
            door.sendto(told, self.client_address)


def bind(address: IPv4Address) -> socket.socket:
    """A socket for datagrams in the calling thread's network namespace."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    bound.bind((str(address), PORT))
    return bound
