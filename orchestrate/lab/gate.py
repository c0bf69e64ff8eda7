"""Who is heard at all: no request that a web page sends, or that was meant for another name.

A browser on this machine reaches loopback for every page it shows. It says so in a header that no
AWS client sends (Origin), or it calls the lab by the page's own name, which that page's name
server has led here (DNS rebinding); neither gets an answer, whatever is asked.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from orchestrate.lab.http_server import Application

KnownHost = Callable[[str], bool]
BEARER = "HTTP_AUTHORIZATION"
OPERATORS = ("/_lab/", "/moto-api")  # of the lab's own, and of moto's: no calls of AWS


def guarded(application: Application, known_host: KnownHost) -> Application:
    """The application, for requests that call it by a name of its own and come from no page."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if "HTTP_ORIGIN" in environ:
            return refuse(start_response, "a web page may ask nothing here")
        if not known_host(environ.get("HTTP_HOST", "")):
            return refuse(start_response, "the lab has no such name")
        return application(environ, start_response)

    return answer


def loopback(port: int) -> KnownHost:
    """The names of an API on loopback: S3 Control puts the account before the address."""
    known = re.compile(rf"(?:(?:[0-9]{{12}}\.)?127\.0\.0\.1|localhost):{port}")
    return lambda host: known.fullmatch(host) is not None


def below(domain: str) -> KnownHost:
    """The names in a domain, on any port."""
    known = re.compile(rf"[a-z0-9.-]+\.{re.escape(domain)}(?::[0-9]+)?", re.IGNORECASE)
    return lambda host: known.fullmatch(host) is not None


def refuse(start_response: Callable[..., Any], why: str) -> Iterable[bytes]:
    """Answer 403 with the reason, as JSON."""
    body = json.dumps({"error": why, "fix": ""}).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response("403 Forbidden", headers)
    return [body]
