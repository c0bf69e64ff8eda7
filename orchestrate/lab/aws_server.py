"""The lab's AWS API: moto behind one HTTP server on loopback.

What stands around moto here: nobody is answered who has not signed with credentials of this lab,
requests are answered one at a time, and whoever asks learns that instances or addresses may have
changed.
"""

import errno
import io
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from moto.core.base_backend import BackendDict
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from orchestrate.lab import gate, incidents
from orchestrate.lab.api_door import FROM_HOST
from orchestrate.lab.auth import check, holders, refusals
from orchestrate.lab.auth.check import Caller, Unauthentic
from orchestrate.lab.call import Call, call_of
from orchestrate.lab.faults import answers
from orchestrate.lab.faults.answers import Refusal
from orchestrate.lab.faults.book import book
from orchestrate.lab.faults.desk import FAULTS_PATH, desk
from orchestrate.lab.faults.models import ApiFault
from orchestrate.lab.incidents import Incidents
from orchestrate.lab.repeats import Answer, Repeats, fingerprint
from orchestrate.lab.secret import LabSecret
from orchestrate.lab.sites import desk as sites_desk
from orchestrate.lab.sites.desk import SITES_PATH, Order

Environ = dict[str, Any]
StartResponse = Callable[..., Any]

STATUS_PATH = "/_lab/status"  # no bucket can be named so: S3 allows no underscore
RESET_PATH = "/_lab/reset"

NOT_THE_OPERATOR = {
    "error": "only the lab's operator may ask this",
    "fix": "orchestrate lab, as the user who started it",
}

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
        secret: LabSecret,
    ) -> None:
        self.lock = threading.Lock()
        self.closing = threading.Event()  # set it, and no caller is kept waiting by a fault
        self.wrote: Callable[[], None] = lambda: None  # called after every call that writes
        self.incidents = incidents
        self._repeats = Repeats()
        self._secret = secret
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._changed = changed
        self._status = status
        self._order_sites = order_sites

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        body: bytes = environ["wsgi.input"].read()
        operators = environ["PATH_INFO"].startswith(gate.OPERATORS)
        answer = self._operators(environ, body) if operators else self._aws(environ, body)
        start_response(answer.status, list(answer.headers))
        return [answer.body]

    def _operators(self, environ: Environ, body: bytes) -> Answer:
        if not self._secret.opens(environ.get("HTTP_AUTHORIZATION", "")):
            return _said("401 Unauthorized", json.dumps(NOT_THE_OPERATOR))
        return self._own(environ["REQUEST_METHOD"], environ["PATH_INFO"], body)

    def _own(self, method: str, path: str, body: bytes) -> Answer:
        """The answer to the command line's own questions."""
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
        return _said("404 Not Found", json.dumps({"error": f"no {method} {path} here", "fix": ""}))

    def _aws(self, environ: Environ, body: bytes) -> Answer:
        try:
            caller = self._caller(environ, body)
        except Unauthentic as stranger:
            return self._refused(stranger, environ)
        call = call_of(environ, body, caller)
        _name(caller, environ)
        method, path, query = (
            environ[name] for name in ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING")
        )
        what = fingerprint(call, method, path, query, body)
        self.incidents.called()
        if self._repeats.arrived(call, what):
            self.incidents.twice(call)
        environ["wsgi.input"] = io.BytesIO(body)
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

    def _caller(self, environ: Environ, body: bytes) -> Caller:
        find = partial(holders.find, self._secret)
        found = check.caller(environ, body, find, datetime.now(UTC))
        if found.holder.operator and environ.get(FROM_HOST):
            raise Unauthentic("unknown", found.claim.service)
        return found

    def may_be_long(self, environ: Mapping[str, Any]) -> bool:
        """Whether the body of a call may be of any length, see `http_server`."""
        find = partial(holders.find, self._secret)
        return check.may_be_long(environ, find, datetime.now(UTC))

    def _refused(self, stranger: Unauthentic, environ: Environ) -> Answer:
        log.warning("refused: %s, for %s", stranger.kind, stranger.service or "no service")
        is_json = answers.speaks_json(stranger.service, environ.get("CONTENT_TYPE", ""))
        told = refusals.refusal(stranger.kind, stranger.service, is_json, stranger.detail)
        return _refusal(told, stranger.service, environ)

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
            return _refusal(Refusal(501, "NotImplemented", what), call.service, environ)
        except Exception as error:
            log.exception("%s %s", call.service, call.action)
            return _refusal(_own_failure(call, error), call.service, environ)
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


def _name(caller: Caller, environ: Environ) -> None:
    """Tell moto whose call it is, in the places it reads, which the caller had no say in."""
    environ["HTTP_X_MOTO_ACCOUNT_ID"] = caller.account
    environ["HTTP_AUTHORIZATION"] = caller.claim.header


def _struck(fault: ApiFault, call: Call, environ: Environ) -> Answer:
    """What a caller gets who a fault keeps from an answer. Raises ConnectionAbortedError."""
    if fault.kind in ("drop", "lose"):
        raise ConnectionAbortedError(errno.ECONNABORTED, "dropped by a fault")
    is_json = answers.speaks_json(call.service, environ.get("CONTENT_TYPE", ""))
    if fault.kind == "throttle":
        return _refusal(answers.throttled(call.service, is_json), call.service, environ)
    if fault.kind == "deny":
        return _refusal(answers.denied(call.service, is_json), call.service, environ)
    return _refusal(answers.unavailable(call.service), call.service, environ)


def _own_failure(call: Call, error: Exception) -> Refusal:
    """A bug of the lab's: 501, because SDKs send a call that got 500 again and again."""
    broke = f"{type(error).__name__} at {incidents.place(error)}"
    what = f"The lab failed at {call.service} {call.action}: {broke}; see `orchestrate lab logs`."
    return Refusal(501, "LabFailure", what)


def _refusal(refusal: Refusal, service: str, environ: Environ) -> Answer:
    is_json = answers.speaks_json(service, environ.get("CONTENT_TYPE", ""))
    text = answers.document(refusal, service, is_json)
    # The answer to HEAD has no body: one that is sent is read as the next answer.
    text = "" if environ["REQUEST_METHOD"] == "HEAD" else text
    extra = [(answers.ERROR_TYPE, refusal.code)] if is_json else []
    return _said(answers.status_line(refusal.status), text, extra)


def _said(status: str, text: str, extra: Sequence[tuple[str, str]] = ()) -> Answer:
    body = text.encode()
    kind = "application/json" if text.startswith("{") else "text/xml"
    headers = (("Content-Type", kind), ("Content-Length", str(len(body))), *extra)
    return Answer(status, headers, body)
