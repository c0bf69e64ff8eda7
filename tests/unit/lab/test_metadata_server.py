"""The metadata service over HTTP, asked by who wants to fill the daemon's memory or stop it."""

import socket
import threading
from collections.abc import Iterator

import pytest

from orchestrate.lab.metadata import Tokens
from orchestrate.lab.metadata_server import MetadataServer


@pytest.fixture
def port() -> Iterator[int]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = MetadataServer(listening, lambda _: None, Tokens(b"secret"))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield listening.getsockname()[1]
    server.shutdown()
    thread.join()
    server.server_close()


def asked(port: int, headers: str) -> bytes:
    """All that comes back until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(f"PUT /latest/api/token HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
        return b"".join(iter(lambda: client.recv(4096), b""))


@pytest.mark.parametrize(
    "length", ["-1", "99999999999", "9" * 5000, "many", "\u0661", "1e3", "0x10"]
)
def test_a_body_that_nobody_sends_is_not_waited_for(port: int, length: str) -> None:
    told = asked(port, f"Content-Length: {length}\r\n")
    assert told.startswith(b"HTTP/1.1 400 ")


def test_who_sends_none_keeps_the_connection(port: int) -> None:
    told = asked(port, "\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
    assert told.count(b"HTTP/1.1 404 ") == 2
