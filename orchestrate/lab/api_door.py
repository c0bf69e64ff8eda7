"""The AWS API as hosts call it: by AWS's own names, over TLS, at an address of the internet."""

import json
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug.serving import BaseWSGIServer, make_server

from orchestrate.lab.aws_server import QuietHandler

OPERATORS = "/_lab/"

Application = Callable[..., Iterable[bytes]]


def hosts_only(application: Application) -> Application:
    """The API without what is the operator's: a host neither resets the lab nor adds faults."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not environ["PATH_INFO"].startswith(OPERATORS):
            return application(environ, start_response)
        body = json.dumps({"error": "this is the operator's"}).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response("403 Forbidden", headers)
        return [body]

    return answer


def server(
    listening: socket.socket, application: Application, context: ssl.SSLContext
) -> BaseWSGIServer:
    """A server on a socket, answering once `serve_forever` runs."""
    host, port = listening.getsockname()
    with listening:
        made = make_server(
            host,
            port,
            hosts_only(application),
            threaded=True,
            request_handler=QuietHandler,
            fd=listening.fileno(),
        )
    # A host that hangs in the middle of a handshake keeps its own thread waiting, not all others.
    made.socket = context.wrap_socket(made.socket, server_side=True, do_handshake_on_connect=False)
    made.ssl_context = context
    return made
