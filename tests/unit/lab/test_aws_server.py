"""The lab's API around moto: what it answers when moto breaks, and to calls sent again."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from botocore.credentials import Credentials

from orchestrate.lab import aws_server
from orchestrate.lab.aws_server import LabApi
from orchestrate.lab.faults.book import book
from orchestrate.lab.faults.models import ApiFault
from orchestrate.lab.incidents import Incidents, counted
from orchestrate.lab.sites.desk import no_sites
from tests.unit.conftest import ACCOUNT, SECRET
from tests.unit.lab.signing import environ

OWN = "lab-of-this-test"  # loggers that no lab of this process listens to


class Api:
    """The API with a moto of the test's own, which counts what it is asked."""

    def __init__(self, incidents: Incidents) -> None:
        self.made = 0
        self.told: list[str] = []
        self.breaks: Exception | None = None
        self.lab = LabApi(lambda: self.told.append("moved"), dict, no_sites, incidents, SECRET)
        setattr(self.lab, "_moto", self._moto)  # noqa: B010 - moto's class is not to be stood for
        self.lab.wrote = lambda: self.told.append("wrote")

    def _moto(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if self.breaks:
            raise self.breaks
        self.made += 1
        start("200 OK", [("Content-Type", "text/xml")])
        return [b"<made>", str(self.made).encode(), b"</made>"]

    def ask(
        self,
        action: str,
        invocation: str = "",
        attempt: int = 1,
        more: str = "",
        account: str = ACCOUNT,
    ) -> Any:
        """Status and body of the answer to a call."""
        call = environ(
            f"Action={action}{more}".encode(),
            Credentials(account, SECRET.access_key(account)),
            HTTP_AMZ_SDK_INVOCATION_ID=invocation,
            HTTP_AMZ_SDK_REQUEST=f"attempt={attempt}; max=25",
        )
        status: list[str] = []
        answer = self.lab(call, lambda said, _headers: status.append(said))
        return status[0], b"".join(answer).decode()


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    monkeypatch.setattr(aws_server, "log", logging.getLogger(f"{OWN}.api"))
    monkeypatch.delenv("ORCHESTRATE_LAB_REPORT", raising=False)
    with counted(OWN) as incidents:
        yield Api(incidents)
    book.clear([])


def test_an_exception_is_answered_once_logged_and_counted(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    api.breaks = AssertionError("user data")

    status, said = api.ask("RunInstances", "one")

    assert status.startswith("501")  # which no SDK tries again
    assert "AssertionError at unit/lab/test_aws_server.py:" in said
    assert "orchestrate lab logs" in said
    assert "Traceback" in caplog.text
    told = api.lab.incidents.told()
    assert (told["calls"], told["exceptions"]) == (1, 1)
    assert told["incidents"][0]["what"] == "ec2 RunInstances"
    assert api.told == ["wrote", "moved"], "half of it may have been done"


def test_what_moto_does_not_do_is_no_exception(api: Api) -> None:
    api.breaks = NotImplementedError()

    status, said = api.ask("CreateTransitGateway")

    assert status.startswith("501")
    assert "NotImplemented" in said
    assert api.lab.incidents.told()["exceptions"] == 0


def test_a_call_sent_again_is_done_once_logged_and_counted(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, f"{OWN}.api")
    first = api.ask("CreateVpc", "one")

    assert api.ask("CreateVpc", "one", attempt=2) == first
    assert api.made == 1
    assert "200 ec2 CreateVpc us-west-2" in caplog.text
    assert "attempt 1 of one\n" in caplog.text
    assert "attempt 2 of one, as before\n" in caplog.text
    assert api.lab.incidents.told()["came_twice"] == 1


def test_the_same_id_with_another_payload_is_another_call(api: Api) -> None:
    api.ask("CreateVpc", "one")

    assert api.ask("CreateVpc", "one", more="&CidrBlock=10.0.0.0/8")[1] == "<made>2</made>"


def test_another_caller_meets_no_answer_by_giving_its_call_the_same_id(api: Api) -> None:
    api.ask("CreateAccessKey", "one")

    said = api.ask("CreateAccessKey", "one", attempt=2, account="999999999999")[1]

    assert said == "<made>2</made>"
    assert api.ask("CreateAccessKey", "one", attempt=2)[1] == "<made>1</made>"


@pytest.mark.parametrize("kind", ["lose", "drop"])
def test_a_lost_answer_was_asked_for_and_the_work_is_done_once(api: Api, kind: str) -> None:
    book.add(ApiFault(kind=kind, count=1))

    with pytest.raises(ConnectionAbortedError):
        api.ask("CreateVpc", "one")
    assert api.made == (kind == "lose")

    assert api.ask("CreateVpc", "one", attempt=2)[1] == "<made>1</made>"
    assert api.lab.incidents.told()["came_twice"] == 0


def test_only_the_first_answer_to_what_writes_is_lost(api: Api) -> None:
    book.add(ApiFault(kind="lose"))

    assert api.ask("DescribeVpcs", "read")[0] == "200 OK"
    assert api.ask("CreateVpc", "one", attempt=2)[0] == "200 OK"
    with pytest.raises(ConnectionAbortedError):
        api.ask("DeleteVpc", "two")
