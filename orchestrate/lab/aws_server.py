"""The lab's AWS API: moto behind one HTTP server on loopback.

What stands around moto here: an access key id of twelve digits is the account, requests are
answered one at a time, and whoever asks learns that instances or addresses may have changed.
"""

import io
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from moto.core.base_backend import BackendDict
from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import BaseWSGIServer, make_server

from orchestrate.lab.call import Call, call_of
from orchestrate.lab.faults import answers
from orchestrate.lab.faults.answers import Refusal
from orchestrate.lab.faults.book import book
from orchestrate.lab.faults.desk import FAULTS_PATH, desk
from orchestrate.lab.faults.models import ApiFault
from orchestrate.lab.sites import desk as sites_desk
from orchestrate.lab.sites.desk import SITES_PATH, Order

Environ = dict[str, Any]
StartResponse = Callable[..., Any]

STATUS_PATH = "/_lab/status"  # no bucket can be named so: S3 allows no underscore
RESET_PATH = "/_lab/reset"

log = logging.getLogger("lab.api")


class LabApi:
    """The WSGI application. `lock` is held while moto answers: hold it to read moto's models.

    One request at a time costs nothing (Python runs one thread anyway) and keeps moto's plain
    dictionaries whole when Terraform sends ten requests at once.
    """

    def __init__(
        self,
        changed: Callable[[], None],
        status: Callable[[], Mapping[str, Any]],
        order_sites: Order,
    ) -> None:
        self.lock = threading.Lock()
        self.wrote: Callable[[], None] = lambda: None  # called after every call that writes
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._changed = changed
        self._status = status
        self._order_sites = order_sites

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == STATUS_PATH:
            return _send("200 OK", json.dumps(self._status()), start_response)
        body = _read(environ)
        if environ["PATH_INFO"] == FAULTS_PATH:
            code, told = desk.answer(environ["REQUEST_METHOD"], body)
            return _send(answers.status_line(code), json.dumps(told), start_response)
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) == ("POST", SITES_PATH):
            code, told = sites_desk.answer(self._order_sites, body)
            return _send(answers.status_line(code), json.dumps(told), start_response)
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) == ("POST", RESET_PATH):
            return _send("200 OK", self._reset(), start_response)
        call = call_of(environ, body)
        environ["wsgi.input"] = io.BytesIO(body)
        if call.account:
            environ["HTTP_X_MOTO_ACCOUNT_ID"] = call.account
        fault = book.strike_call(call)
        if fault is not None and fault.kind != "slow":
            return _strike(fault, call, environ, start_response)
        if fault is not None:
            time.sleep(fault.delay_s)
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
                answer = _not_done(call, environ, noting)
        spent = (time.perf_counter() - begun) * 1000
        log.info("%s %s %s %s %.1f ms", code, call.service, call.action, call.region, spent)
        if not call.reads:
            self.wrote()
        if call.moves_hosts:
            self._changed()
        return answer

    def _reset(self) -> str:
        with self.lock:
            BackendDict.reset()
        book.clear([])
        self._order_sites([])
        self.wrote()
        self._changed()
        return json.dumps({"reset": True})


def _strike(
    fault: ApiFault, call: Call, environ: Environ, start_response: StartResponse
) -> list[bytes]:
    """Do to a caller what a fault says; moto never hears of the call."""
    log.info("%s %s %s %s (%s)", fault.kind, call.service, call.action, call.region, fault.name)
    if fault.kind == "drop":
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        raise ConnectionAbortedError("dropped by a fault")
    is_json = answers.speaks_json(call.service, environ.get("CONTENT_TYPE", ""))
    if fault.kind == "throttle":
        return _refuse(answers.throttled(call.service, is_json), call, environ, start_response)
    if fault.kind == "deny":
        return _refuse(answers.denied(call.service, is_json), call, environ, start_response)
    return _refuse(answers.unavailable(call.service), call, environ, start_response)


def _not_done(call: Call, environ: Environ, start_response: StartResponse) -> list[bytes]:
    """Moto's "not implemented" as an answer that no SDK tries again for ten minutes: not a 500."""
    what = f"The lab does not do {call.service} {call.action} yet."
    log.warning("%s", what)
    return _refuse(Refusal(501, "NotImplemented", what), call, environ, start_response)


def _refuse(
    refusal: Refusal, call: Call, environ: Environ, start_response: StartResponse
) -> list[bytes]:
    is_json = answers.speaks_json(call.service, environ.get("CONTENT_TYPE", ""))
    text = answers.document(refusal, call.service, is_json)
    # The answer to HEAD has no body: one that is sent is read as the next answer.
    text = "" if environ["REQUEST_METHOD"] == "HEAD" else text
    extra = [(answers.ERROR_TYPE, refusal.code)] if is_json else []
    return _send(answers.status_line(refusal.status), text, start_response, extra)


def _send(
    status: str,
    text: str,
    start_response: StartResponse,
    extra: Sequence[tuple[str, str]] = (),
) -> list[bytes]:
    body = text.encode()
    kind = "application/json" if text.startswith("{") else "text/xml"
    start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body))), *extra])
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
