"""The package archives as hosts meet them: HTTP around `store`, GET and nothing else."""

import logging
import os
import socket
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from typing import BinaryIO

from orchestrate.errors import OrchestrateError
from orchestrate.lab.packages.archives import MIRROR, asked_for
from orchestrate.lab.packages.store import Absent, Store

PORT = 80
PATIENCE_S = 60.0  # with a client that says nothing: apt keeps its connection for the next file

log = logging.getLogger("lab.packages")


class PackageServer(ThreadingHTTPServer):
    """Serves `store` on a listening socket."""

    daemon_threads = True

    def __init__(self, listening: socket.socket, store: Store) -> None:
        super().__init__(listening.getsockname(), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.store = store


class Handler(BaseHTTPRequestHandler):
    """One connection of one host. What is refused says why in the status line: apt prints that."""

    server: PackageServer
    server_version = "lab"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE_S

    def do_GET(self) -> None:
        begun = time.perf_counter()
        code = self._answer()
        spent = (time.perf_counter() - begun) * 1000
        log.info("%s %s %s %.1f ms", code, self.path, self.client_address[0], spent)

    def _answer(self) -> int:
        file = asked_for(self.headers.get("Host", ""), self.path)
        if file is None:
            return self._refuse(404, f"The lab's internet has Debian's archives only, at {MIRROR}")
        try:
            found = self.server.store.open(file)
        except Absent:
            return self._refuse(404, "Not Found")
        except (OrchestrateError, OSError) as failure:
            log.warning("%s: %s", file.path, failure)
            what = failure.what if isinstance(failure, OrchestrateError) else str(failure)
            return self._refuse(503, what)
        with found:
            return self._send(found)

    def _send(self, file: BinaryIO) -> int:
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(os.fstat(file.fileno()).st_size))
        self.end_headers()
        self.connection.sendfile(file)
        return 200

    def _refuse(self, code: int, why: str) -> int:
        words = " ".join(why.split()).encode("latin-1", "replace").decode("latin-1")
        self.send_response(code, words)
        self.send_header("Content-Length", "0")
        self.end_headers()
        return code

    def log_message(self, *args: object) -> None:
        """Say nothing here: `do_GET` does, once per request."""


def listen(address: IPv4Address) -> socket.socket:
    """A listening socket on an address of the calling thread's network namespace."""
    return socket.create_server((str(address), PORT), backlog=64)
