"""The lab's AWS API: moto behind one HTTP server on loopback.

What stands around moto here: an access key id of twelve digits is the account, requests are
answered one at a time, and whoever asks learns that instances or addresses may have changed.
"""

import errno
import io
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from moto.core.base_backend import BackendDict
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from orchestrate.lab import incidents
from orchestrate.lab.call import Call, call_of
from orchestrate.lab.faults import answers
from orchestrate.lab.faults.answers import Refusal
from orchestrate.lab.faults.book import book
from orchestrate.lab.faults.desk import FAULTS_PATH, desk
from orchestrate.lab.faults.models import ApiFault
from orchestrate.lab.incidents import Incidents
from orchestrate.lab.repeats import Answer, Repeats, fingerprint
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
        incidents: Incidents,
    ) -> None:
        self.lock = threading.Lock()
        self.closing = threading.Event()  # set it, and no caller is kept waiting by a fault
        self.wrote: Callable[[], None] = lambda: None  # called after every call that writes
        self.incidents = incidents
        self._repeats = Repeats()
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._changed = changed
        self._status = status
        self._order_sites = order_sites

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        body: bytes = environ["wsgi.input"].read()
        answer = self._own(environ, body) or self._aws(environ, body)
        start_response(answer.status, list(answer.headers))
        return [answer.body]

    def _own(self, environ: Environ, body: bytes) -> Answer | None:
        """The answer to the command line's own questions; None for a call of AWS."""
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if path == STATUS_PATH:
            return _said("200 OK", json.dumps(self._status()))
        if path == FAULTS_PATH:
            code, told = desk.answer(method, body)
            return _said(answers.status_line(code), json.dumps(told))
        if (method, path) == ("POST", SITES_PATH):
            code, told = sites_desk.answer(self._order_sites, body)
            return _said(answers.status_line(code), json.dumps(told))
        if (method, path) == ("POST", RESET_PATH):
            return _said("200 OK", self._reset())
        return None

    def _aws(self, environ: Environ, body: bytes) -> Answer:
        call = call_of(environ, body)
        method, path, query = (
            environ[name] for name in ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING")
        )
        what = fingerprint(call, method, path, query, body)
        self.incidents.called()
        if self._repeats.arrived(call, what):
            self.incidents.twice(call)
        environ["wsgi.input"] = io.BytesIO(body)
        if call.account:
            environ["HTTP_X_MOTO_ACCOUNT_ID"] = call.account
        fault = book.strike_call(call)
        if fault is None:
            return self._answer(call, what, environ)
        self._repeats.expect(call)
        log.info("%s %s %s %s (%s)", fault.kind, call.service, call.action, call.region, fault.name)
        if fault.kind == "slow":
            self.closing.wait(fault.delay_s)
            return self._answer(call, what, environ)
        if fault.kind == "lose":
            self._answer(call, what, environ)
        return _struck(fault, call, environ)

    def _answer(self, call: Call, what: str, environ: Environ) -> Answer:
        begun = time.perf_counter()
        with self.lock:
            before = self._repeats.answer(call, what)
            answer = before or self._work(call, environ)
            self._repeats.keep(call, answer)
        spent = (time.perf_counter() - begun) * 1000
        asked = f"{call.service} {call.action} {call.region}"
        sent = f", attempt {call.attempt} of {call.invocation}" if call.invocation else ""
        known = ", as before" if before else ""
        log.info("%s %s %.1f ms%s%s", answer.status[:3], asked, spent, sent, known)
        if not call.reads:
            self.wrote()
        if call.moves_hosts:
            self._changed()
        return answer

    def _work(self, call: Call, environ: Environ) -> Answer:
        """What moto answers. Its lock is held."""
        started: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
            started[:] = status, tuple(headers)

        try:
            body = b"".join(self._moto(environ, start))
        except NotImplementedError:
            what = f"The lab does not do {call.service} {call.action} yet."
            log.warning("%s", what)
            return _refusal(Refusal(501, "NotImplemented", what), call, environ)
        except Exception as error:
            log.exception("%s %s", call.service, call.action)
            return _refusal(_own_failure(call, error), call, environ)
        status, headers = started
        return Answer(status, headers, body)

    def _reset(self) -> str:
        with self.lock:
            BackendDict.reset()
        book.clear([])
        self._order_sites([])
        self.wrote()
        self._changed()
        return json.dumps({"reset": True})


def _struck(fault: ApiFault, call: Call, environ: Environ) -> Answer:
    """What a caller gets who a fault keeps from an answer. Raises ConnectionAbortedError."""
    if fault.kind in ("drop", "lose"):
        raise ConnectionAbortedError(errno.ECONNABORTED, "dropped by a fault")
    is_json = answers.speaks_json(call.service, environ.get("CONTENT_TYPE", ""))
    if fault.kind == "throttle":
        return _refusal(answers.throttled(call.service, is_json), call, environ)
    if fault.kind == "deny":
        return _refusal(answers.denied(call.service, is_json), call, environ)
    return _refusal(answers.unavailable(call.service), call, environ)


def _own_failure(call: Call, error: Exception) -> Refusal:
    """A bug of the lab's: 501, because SDKs send a call that got 500 again and again."""
    broke = f"{type(error).__name__} at {incidents.place(error)}"
    what = f"The lab failed at {call.service} {call.action}: {broke}; see `orchestrate lab logs`."
    return Refusal(501, "LabFailure", what)


def _refusal(refusal: Refusal, call: Call, environ: Environ) -> Answer:
    is_json = answers.speaks_json(call.service, environ.get("CONTENT_TYPE", ""))
    text = answers.document(refusal, call.service, is_json)
    # The answer to HEAD has no body: one that is sent is read as the next answer.
    text = "" if environ["REQUEST_METHOD"] == "HEAD" else text
    extra = [(answers.ERROR_TYPE, refusal.code)] if is_json else []
    return _said(answers.status_line(refusal.status), text, extra)


def _said(status: str, text: str, extra: Sequence[tuple[str, str]] = ()) -> Answer:
    body = text.encode()
    kind = "application/json" if text.startswith("{") else "text/xml"
    headers = (("Content-Type", kind), ("Content-Length", str(len(body))), *extra)
    return Answer(status, headers, body)
