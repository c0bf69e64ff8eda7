"""The lab's HTTP server beside werkzeug's own, on which moto runs otherwise: calls a second.

Each serves, in a process of its own, one application that answers at once, so that only the server
is measured, to clients that keep their connection if they may, as SDKs do. werkzeug closes it after
each answer. The processor's time of a call tells even on a busy machine.
"""

import http.client
import multiprocessing
import resource
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

from benchmarks.measure import Measurement, Side, in_turns
from orchestrate.lab.http_server import HttpServer

CALLS = 300
CALLERS = (1, 10)
BODY = b"Action=DescribeVpcs&Version=2016-11-15"
ANSWER = b"x" * 2000  # about as long as one of EC2's


def measure(rounds: int = 5) -> Iterator[Measurement]:
    """Calls a second of each, then wall and processor time as a multiple of werkzeug's."""
    with ExitStack() as held:
        served = {
            "werkzeug": held.enter_context(_served(_werkzeug)),
            "the lab": held.enter_context(_served(_ours)),
        }
        for callers in CALLERS:
            works = {who: Side(partial(_call, at.port, callers)) for who, at in served.items()}
            before = {who: at.processor_s() for who, at in served.items()}
            taken = in_turns(rounds, works)
            spent = {who: at.processor_s() - before[who] for who, at in served.items()}
            for who, took in taken.items():
                each = spent[who] / (rounds + 1) / CALLS * 1000  # the warm-up is one more
                note = f"{each:.2f} ms of the processor a call"
                yield Measurement(f"{who}, {callers} at once", CALLS / took, "/s", note=note)
            wall = taken["the lab"] / taken["werkzeug"]
            yield Measurement(f"time, the lab / werkzeug, {callers} at once", wall, "x", 0.75)
            work = spent["the lab"] / spent["werkzeug"]
            yield Measurement(f"processor, the lab / werkzeug, {callers} at once", work, "x", 0.75)


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


class _At:
    """A server in another process."""

    def __init__(self, pipe: "Connection[None, Any]") -> None:
        self._pipe = pipe
        self.port = int(pipe.recv())

    def processor_s(self) -> float:
        """What its process has spent so far."""
        self._pipe.send(None)
        return float(self._pipe.recv())


@contextmanager
def _served(serve: Callable[[], int]) -> Iterator[_At]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_tell, args=(serve, theirs), daemon=True)
    process.start()
    try:
        yield _At(ours)
    finally:
        process.terminate()
        process.join()


def _tell(serve: Callable[[], int], pipe: "Connection[Any, None]") -> None:
    pipe.send(serve())
    while True:
        pipe.recv()
        used = resource.getrusage(resource.RUSAGE_SELF)
        pipe.send(used.ru_utime + used.ru_stime)


def _werkzeug() -> int:
    server = make_server("127.0.0.1", 0, _application, threaded=True, request_handler=_Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def _ours() -> int:
    server = HttpServer(socket.create_server(("127.0.0.1", 0), backlog=128), _application)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
