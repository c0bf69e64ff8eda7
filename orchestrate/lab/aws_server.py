"""The lab's AWS API: moto behind one HTTP server on loopback.

What stands around moto here: an access key id of twelve digits is the account, requests are
answered one at a time, and whoever asks learns that instances or addresses may have changed.
"""

import io
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import BaseWSGIServer, make_server

Environ = dict[str, Any]
StartResponse = Callable[..., Any]

STATUS_PATH = "/_lab/status"  # no bucket can be named so: S3 allows no underscore
CREDENTIAL = re.compile(r"Credential=(?P<key>[^/]+)/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/")
ACCOUNT = re.compile(r"\d{12}")
ACTION = re.compile(rb"(?:^|&)Action=(\w+)")
TARGET = re.compile(r"\.(\w+)$")
# How services wrap an error in XML, other than as most do.
WRAPPERS = {"ec2": "<Response><Errors>{}</Errors></Response>", "s3": "{}"}
READS = ("Describe", "Get", "List")

log = logging.getLogger("lab.api")


@dataclass(frozen=True)
class Call:
    """What a request asks for, read from its signature and body; "" where it does not say."""

    account: str
    region: str
    service: str
    action: str

    @property
    def moves_hosts(self) -> bool:
        """Whether instances, addresses or groups may be different afterwards."""
        return self.service in {"ec2", "autoscaling"} and not self.action.startswith(READS)


def call_of(environ: Mapping[str, Any], body: bytes) -> Call:
    """Read an AWS request: Signature Version 4 for who and where, the protocol's field for what."""
    signed = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    key = signed["key"] if signed else ""
    form = ACTION.search(body) if "urlencoded" in environ.get("CONTENT_TYPE", "") else None
    target = TARGET.search(environ.get("HTTP_X_AMZ_TARGET", ""))
    fallback = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
    return Call(
        account=key if ACCOUNT.fullmatch(key) else "",
        region=signed["region"] if signed else "",
        service=signed["service"] if signed else "",
        action=form[1].decode() if form else target[1] if target else fallback,
    )


class LabApi:
    """The WSGI application. `lock` is held while moto answers: hold it to read moto's models.

    One request at a time costs nothing (Python runs one thread anyway) and keeps moto's plain
    dictionaries whole when Terraform sends ten requests at once.
    """

    def __init__(
        self, changed: Callable[[], None], status: Callable[[], Mapping[str, Any]]
    ) -> None:
        self.lock = threading.Lock()
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._changed = changed
        self._status = status

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == STATUS_PATH:
            return _send("200 OK", json.dumps(self._status()), start_response)
        body = _read(environ)
        call = call_of(environ, body)
        environ["wsgi.input"] = io.BytesIO(body)
        if call.account:
            environ["HTTP_X_MOTO_ACCOUNT_ID"] = call.account
        return self._answer(call, environ, start_response)

    def _answer(
        self, call: Call, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        begun = time.perf_counter()
        code = ""

        def noting(status: str, *args: Any) -> Any:
            nonlocal code
            code = status[:3]
            return start_response(status, *args)

        with self.lock:
            try:
                answer = list(self._moto(environ, noting))
            except NotImplementedError:
                answer = _refusal(call, environ, noting)
        spent = (time.perf_counter() - begun) * 1000
        log.info("%s %s %s %s %.1f ms", code, call.service, call.action, call.region, spent)
        if call.moves_hosts:
            self._changed()
        return answer


def _refusal(call: Call, environ: Environ, start_response: StartResponse) -> list[bytes]:
    """Moto's "not implemented" as an answer that no SDK tries again for ten minutes: not a 500."""
    what = f"The lab does not do {call.service} {call.action} yet."
    log.warning("%s", what)
    error = f"<Error><Code>NotImplemented</Code><Message>{escape(what)}</Message></Error>"
    text = WRAPPERS.get(call.service, "<ErrorResponse>{}</ErrorResponse>").format(error)
    if "json" in environ.get("CONTENT_TYPE", ""):
        text = json.dumps({"__type": "NotImplemented", "message": what})
    return _send("501 Not Implemented", text, start_response)


def _send(status: str, text: str, start_response: StartResponse) -> list[bytes]:
    body = text.encode()
    kind = "application/json" if text.startswith("{") else "text/xml"
    start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
    return [body]


def _read(environ: Environ) -> bytes:
    # A chunked body has no length; werkzeug then ends the stream itself.
    if environ.get("wsgi.input_terminated"):
        body: bytes = environ["wsgi.input"].read()
        environ["CONTENT_LENGTH"] = str(len(body))
        return body
    return bytes(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))


class QuietHandler(MotoRequestHandler):
    """moto's handler of one connection; requests are logged by LabApi, with what they were."""

    disable_nagle_algorithm = True

    def log_request(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing here."""


def serve(api: LabApi) -> BaseWSGIServer:
    """A server on a free loopback port, answering once `serve_forever` runs."""
    return make_server("127.0.0.1", 0, api, threaded=True, request_handler=QuietHandler)
