"""The AWS API as hosts call it: by AWS's own names, over TLS, at an address of the internet."""

import json
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

from orchestrate.lab.http_server import Application, HttpServer

OPERATORS = "/_lab/"


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
) -> HttpServer:
    """A server on a socket, answering once `serve_forever` runs."""
    return HttpServer(listening, hosts_only(application), context)
