"""The lab's HTTP server beside werkzeug's own, on which moto runs otherwise: calls a second.

Both serve one application that answers at once, so that only the server is measured, to clients
that keep their connection if they may, as SDKs do. werkzeug closes it after each answer, and then
waits 10 ms for what else may come.
"""

import http.client
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

from benchmarks.measure import Measurement, Side, in_turns
from orchestrate.lab.http_server import HttpServer

CALLS = 300
CALLERS = (1, 10)
BODY = b"Action=DescribeVpcs&Version=2016-11-15"
ANSWER = b"x" * 2000  # about as long as one of EC2's


def measure(rounds: int = 5) -> Iterator[Measurement]:
    """Calls a second of each, and the lab's server's time as a multiple of werkzeug's."""
    with _werkzeug() as theirs, _ours() as ours:
        for callers in CALLERS:
            sides = {"werkzeug": theirs, "the lab": ours}
            works = {who: Side(partial(_call, port, callers)) for who, port in sides.items()}
            taken = in_turns(rounds, works)
            for who, took in taken.items():
                yield Measurement(f"{who}, {callers} at once", CALLS / took, "/s")
            ratio = taken["the lab"] / taken["werkzeug"]
            yield Measurement(f"time, the lab / werkzeug, {callers} at once", ratio, "x", 0.5)


def _call(port: int, callers: int) -> None:
    def some(count: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for _ in range(count):
            connection.request("POST", "/", BODY)
            if len(connection.getresponse().read()) != len(ANSWER):
                raise RuntimeError("not the whole answer")
        connection.close()

    with ThreadPoolExecutor(callers) as pool:
        list(pool.map(some, [CALLS // callers] * callers))


def _application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    start("200 OK", [("Content-Type", "text/xml"), ("Content-Length", str(len(ANSWER)))])
    return [ANSWER]


class _Quiet(WSGIRequestHandler):
    disable_nagle_algorithm = True

    def log_request(self, *args: Any, **options: Any) -> None:
        """Say nothing: the lab's server says nothing either."""


@contextmanager
def _werkzeug() -> Iterator[int]:
    server = make_server("127.0.0.1", 0, _application, threaded=True, request_handler=_Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@contextmanager
def _ours() -> Iterator[int]:
    server = HttpServer(socket.create_server(("127.0.0.1", 0), backlog=128), _application)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()
