"""The HTTP server that the lab's AWS API stands on: cheroot, set up so that no answer is lost.

An SDK whose answer is lost sends its call again, and a create that is done is then refused.
So a connection is kept: only a client ends one, or an hour in which it says nothing, far beyond
the 90 s after which Go's clients close theirs. An answer leaves in one write, headers and body
together. A connection takes up a thread only from a call's first byte to its answer's last.
"""

import errno
import io
import logging
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from cheroot.errors import MaxSizeExceeded
from cheroot.makefile import MakeFile
from cheroot.server import HeaderReader, HTTPConnection, HTTPRequest
from cheroot.ssl import Adapter
from cheroot.wsgi import Gateway_10, Server
from moto.core.request import (
    PRESERVED_HEADER_NAMES_ENVIRON_KEY,
    environ_key_for_header,
    should_preserve_original_header_name,
)

Application = Callable[..., Iterable[bytes]]
MayBeLong = Callable[[Mapping[str, Any]], bool]

IDLE_S = 3600  # a kept connection that says nothing is closed
STALL_S = 60  # in the middle of a call, without a byte
SOON_MS = 20  # the pause of a client that makes one call after the other
THREADS = 64  # calls at a time: one that is slow, by a fault or a hanging host, holds up no other
BACKLOG = 128
LONG = 1 << 21  # bytes of a body that are read before it is asked whether it may be longer
HEADERS = 1 << 18  # bytes of all headers
ONE_WRITE = 1 << 20  # bytes; a longer answer leaves in several

log = logging.getLogger("lab.http")


class HttpServer:
    """Serves an application on a listening socket, over TLS where it is given a context.

    A body that is longer than LONG is read for whom `may_be_long` says so, given the request as
    WSGI has it; else the connection ends.

    It is used as one of `socketserver`'s: `serve_forever` in a thread of its own.
    """

    def __init__(
        self,
        listening: socket.socket,
        application: Application,
        may_be_long: MayBeLong = lambda _: True,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.server_port: int = listening.getsockname()[1]
        # What is accepted has it from here; an answer in several writes would wait in between.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server = _Server(listening, application, may_be_long)
        self._server.ssl_adapter = _Tls(context) if context else None
        self._listening = listening
        self._closing = threading.Lock()

    def serve_forever(self, poll_interval: float = 0.5) -> None:
        """Serve until `shutdown`. The threads end with the process if the calling one does."""
        self._server.expiration_interval = poll_interval
        self._server.start()

    def shutdown(self) -> None:
        """Answer what was asked, close all connections; again: nothing."""
        with self._closing:
            self._server.stop()

    def server_close(self) -> None:
        """No new connection from now on."""
        self._listening.close()


class _Connection(HTTPConnection):
    """Writes through a buffer, which is emptied when there is a whole answer in it."""

    rbufsize = 1 << 16

    def __init__(self, server: Any, sock: socket.socket, makefile: Any = MakeFile) -> None:
        super().__init__(server, sock, makefile)
        sock.settimeout(STALL_S)
        self.wfile = io.BufferedWriter(socket.SocketIO(sock, "wb"), ONE_WRITE)

    def communicate(self) -> bool:
        """Answer a call, and those that follow at once; whether to keep the connection."""
        while self._answer():
            if not self._follows():
                return True
        return False

    def _answer(self) -> bool:
        keep: bool = super().communicate()  # type: ignore[no-untyped-call]
        try:
            self.wfile.flush()  # what cheroot itself says of a call it cannot read
        except OSError:
            return False
        return keep

    def _follows(self) -> bool:
        """Whether the next call comes so soon that handing the connection back would take longer;
        not waited for when no other thread is free."""
        if not self.server.requests.idle:
            return False
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(SOON_MS))


class _Headers(HeaderReader):
    """Names with an underscore are other names with a dash, but for S3's metadata."""

    def _allow_header(self, name: bytes) -> bool:
        return b"_" not in name or should_preserve_original_header_name(name.decode("latin-1"))


class _Request(HTTPRequest):
    """A call; its URL may be a whole one, as a proxy is asked, which the lab is for S3 Control."""

    header_reader = _Headers()

    def __init__(self, server: Any, conn: Any) -> None:
        super().__init__(server, conn, proxy_mode=True, strict_mode=False)

    def respond(self) -> None:
        self.conn.wfile.flush()  # "100 Continue" is waited for
        super().respond()
        self.conn.wfile.flush()


_Connection.RequestHandlerClass = _Request


class _Gateway(Gateway_10):
    """The environment as werkzeug's own server makes it: moto reads more than WSGI demands."""

    def get_environ(self) -> dict[str, Any]:  # type: ignore[override]
        environ: dict[str, Any] = super().get_environ()  # type: ignore[no-untyped-call]
        uri = self.req.uri.decode("latin-1")
        whole = urlsplit(uri) if "://" in uri.partition("?")[0] else None
        path = whole.path or "/" if whole else uri.partition("?")[0]
        environ["RAW_URI"] = uri
        environ["PATH_INFO"] = unquote_to_bytes(path).decode("latin-1")
        if whole:
            environ["HTTP_HOST"] = whole.netloc
        environ["wsgi.url_scheme"] = "https" if self.req.server.ssl_adapter else "http"
        environ[PRESERVED_HEADER_NAMES_ENVIRON_KEY] = self._underscored()
        body = self._body(environ)
        environ["wsgi.input"] = io.BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))
        return environ

    def _underscored(self) -> dict[str, str]:
        names = (name.decode("latin-1").lower() for name in self.req.inheaders)
        return {environ_key_for_header(name): name for name in names if "_" in name}

    def _body(self, environ: Mapping[str, Any]) -> bytes:
        """All of it: a call that breaks off in the middle is not done."""
        source = self.req.rfile
        if self.req.chunked_read:
            return self._chunks(source, environ)
        if source.remaining > LONG and not self.req.server.may_be_long(environ):
            raise ConnectionResetError(errno.ECONNRESET, "a long body of a stranger's")
        body: bytes = source.read()
        if source.remaining:
            raise ConnectionResetError(errno.ECONNRESET, "the call broke off")
        return body

    def _chunks(self, source: Any, environ: Mapping[str, Any]) -> bytes:
        """How long it will be nobody has said."""
        source.maxlen = 0 if self.req.server.may_be_long(environ) else LONG
        try:
            body: bytes = source.read()
            list(source.read_trailer_lines())
        except (MaxSizeExceeded, OSError, ValueError) as error:
            raise ConnectionResetError(errno.ECONNRESET, "the call broke off") from error
        return body


class _Server(Server):
    ConnectionClass = _Connection
    keep_alive_conn_limit = None  # type: ignore[assignment]  # as cheroot documents "no limit"

    max_request_header_size = HEADERS

    def __init__(
        self, listening: socket.socket, application: Application, may_be_long: MayBeLong
    ) -> None:
        address = listening.getsockname()[:2]
        super().__init__(
            address, application, numthreads=THREADS, request_queue_size=BACKLOG, timeout=IDLE_S
        )
        self.gateway = _Gateway
        self._listening = listening
        self.may_be_long = may_be_long

    def bind(self, family: int, type: int, proto: int = 0) -> None:
        self.socket = self._listening

    def process_conn(self, conn: Any) -> None:
        # Go's clients open connections in store. cheroot has a thread wait for the first call of
        # each, and ends the wait with a 408, just when the client may be sending.
        if conn.last_used is None:
            self.put_conn(conn)
        else:
            super().process_conn(conn)

    def error_log(self, msg: str = "", level: int = 20, traceback: bool = False) -> None:
        log.log(level, msg, exc_info=traceback)


class _Tls(Adapter):
    """TLS by a context of ours; a host that hangs in the handshake keeps its own thread waiting."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.context = context

    def bind(self, sock: socket.socket) -> socket.socket:
        return sock

    def wrap(self, sock: socket.socket) -> tuple[socket.socket, dict[str, str]]:
        wrapped = self.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return wrapped, self.get_environ()

    def get_environ(self) -> dict[str, str]:
        return {"HTTPS": "on"}

    def makefile(self, sock: socket.socket, mode: str = "r", bufsize: int = -1) -> Any:
        return MakeFile(sock, mode, bufsize)
