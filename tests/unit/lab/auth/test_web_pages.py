"""Requests that a page in a browser of this machine can make: none is heard."""

import pytest
import requests

from tests.unit.conftest import SECRET
from tests.unit.lab.auth.test_strangers import BODY
from tests.unit.lab.signing import FORM, signed

PATHS = ["/_lab/status", "/_lab/reset", "/_lab/faults", "/_lab/sites", "/moto-api/reset", "/"]
SIMPLE = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1"])
def test_a_page_is_not_heard_even_with_the_token(
    endpoint: str, path: str, method: str, origin: str
) -> None:
    headers = {**SECRET.authorization, "Origin": origin}
    answer = requests.request(method, endpoint + path, headers=headers, timeout=60)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", SIMPLE)
def test_a_form_that_says_no_origin_is_a_stranger_s(endpoint: str, path: str, kind: str) -> None:
    answer = requests.post(endpoint + path, BODY, headers={"Content-Type": kind}, timeout=60)
    assert answer.status_code in (401, 403)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "", "x127.0.0.1:PORT"]
)
def test_who_was_led_here_by_another_name_is_not_heard(endpoint: str, path: str, host: str) -> None:
    named = host.replace("PORT", endpoint.rpartition(":")[2])
    headers = {**SECRET.authorization, "Host": named}
    assert requests.post(endpoint + path, headers=headers, timeout=60).status_code in (400, 403)


def test_a_whole_url_names_the_host_as_well(endpoint: str) -> None:
    """As a proxy is asked: what counts is where the request was meant to go."""
    headers = signed("POST", "http://evil.example/", BODY)
    proxies = {"http": endpoint}
    answer = requests.post(
        "http://evil.example/", BODY, headers=headers, proxies=proxies, timeout=60
    )
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/_lab/status", "/_lab/nothing", "/moto-api/reset"])
@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer lab", "Basic bGFiOmxhYg==", "\xff"])
def test_what_is_the_operators_is_asked_for_with_the_token(
    endpoint: str, path: str, token: str
) -> None:
    headers = {"Authorization": token.encode("latin-1"), "Content-Type": FORM.encode()}
    assert requests.get(endpoint + path, headers=headers, timeout=60).status_code == 401


def test_motos_own_door_is_shut_for_everybody(endpoint: str) -> None:
    answer = requests.post(f"{endpoint}/moto-api/reset", headers=SECRET.authorization, timeout=60)
    assert answer.status_code == 404


def test_aws_credentials_do_not_open_what_is_the_operators(endpoint: str) -> None:
    headers = signed("GET", f"{endpoint}/_lab/status")
    assert requests.get(f"{endpoint}/_lab/status", headers=headers, timeout=60).status_code == 401
