"""The AWS API as hosts call it: by AWS's own names, over TLS, at an address of the internet."""

import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

from orchestrate.lab import gate
from orchestrate.lab.api_names import DOMAIN
from orchestrate.lab.http_server import Application, HttpServer, MayBeLong

FROM_HOST = "lab.from_host"  # in the environ: the caller is no operator, whatever it knows


def hosts_only(application: Application) -> Application:
    """The API without what is the operator's: a host neither resets the lab nor adds faults,
    and what the operator's keys open it asks for with those of its own profile."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(gate.OPERATORS):
            return gate.refuse(start_response, "this is the operator's")
        return application({**environ, FROM_HOST: True}, start_response)

    return answer


def server(
    listening: socket.socket,
    application: Application,
    may_be_long: MayBeLong,
    context: ssl.SSLContext,
) -> HttpServer:
    """A server on a socket, answering once `serve_forever` runs."""
    guarded = gate.guarded(hosts_only(application), gate.below(DOMAIN))
    return HttpServer(listening, guarded, may_be_long, context)
