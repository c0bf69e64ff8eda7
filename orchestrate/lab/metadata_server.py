"""The metadata service on the network: HTTP around `metadata.answer`, which decides everything."""

import logging
import re
import socket
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address

from orchestrate.lab.identity import Identity
from orchestrate.lab.metadata import Request, Response, Tokens, answer, refusal

PORT = 80
PATIENCE_S = 10.0  # with a client that says nothing
LENGTH = re.compile(r"[0-9]{1,5}")  # of a body: there is nothing to be told

Identify = Callable[[IPv4Address], Identity | None]

log = logging.getLogger("lab.metadata")


class MetadataServer(ThreadingHTTPServer):
    """Serves on a listening socket; `identify` says which instance has an address."""

    daemon_threads = True

    def __init__(self, listening: socket.socket, identify: Identify, tokens: Tokens) -> None:
        super().__init__(listening.getsockname(), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.identify = identify
        self.tokens = tokens


class Handler(BaseHTTPRequestHandler):
    """One connection of one instance."""

    server: MetadataServer
    server_version = "EC2ws"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE_S

    def _answer(self) -> None:
        length = self.headers.get("Content-Length") or "0"
        if LENGTH.fullmatch(length):
            self.rfile.read(int(length))
            found = self._found()
        else:
            self.close_connection = True  # where the next request begins nobody knows
            found = refusal(400)
        self._send(found)

    def _found(self) -> Response:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path.partition("?")[0], headers)
        whose = self.server.identify(IPv4Address(self.client_address[0]))
        found = answer(request, whose, self.server.tokens, time.time())
        log.info("%s %s %s %s", found.status, self.command, request.path, self.client_address[0])
        return found

    def _send(self, found: Response) -> None:
        self.send_response(found.status)
        for name, value in {"Content-Type": found.kind, **found.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(found.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(found.body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815 - http.server's names

    def log_message(self, *args: object) -> None:
        """Say nothing here: `_answer` does, once per request."""


def listen(address: IPv4Address) -> socket.socket:
    """A listening socket on an address of the calling thread's network namespace."""
    return socket.create_server((str(address), PORT), backlog=64)
