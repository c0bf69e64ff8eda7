"""Whose requests are heard at the doors of the API, by the names they were meant for."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from orchestrate.lab import api_door, gate
from orchestrate.lab.api_names import DOMAIN


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "123456789012.127.0.0.1:8000"]
)
def test_loopback_has_these_names(host: str) -> None:
    assert gate.loopback(8000)(host)


@pytest.mark.parametrize(
    "host",
    [
        *("", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:80000", "127.0.0.1:8000.", "[::1]:8000"),
        *("127.0.0.1:8000@evil", "evil.127.0.0.1:8000", "1.127.0.0.1:8000", "127x0.0.1:8000"),
        *("localhost.evil:8000", "evil-localhost:8000", "127.0.0.1:8000\n", "0.0.0.0:8000"),
    ],
)
def test_loopback_has_no_others(host: str) -> None:
    assert not gate.loopback(8000)(host)


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("ec2.us-west-2.amazonaws.com", True),
        ("bucket.s3.us-west-2.amazonaws.com:443", True),
        ("IAM.amazonaws.com", True),
        ("amazonaws.com", False),
        ("ec2.us-west-2.amazonaws.com.evil", False),
        ("evil-amazonaws.com", False),
        ("198.18.0.3", False),
        ("", False),
        ("ec2.amazonaws.com\n", False),
        ("ec2 .amazonaws.com", False),
    ],
)
def test_hosts_call_by_aws_names(host: str, known: bool) -> None:
    assert gate.below(DOMAIN)(host) is known


def _note(asked: list[dict[str, Any]]) -> Callable[..., Iterable[bytes]]:
    def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        asked.append(environ)
        start("200 OK", [])
        return []

    return application


@pytest.mark.parametrize("path", ["/_lab/status", "/_lab/reset", "/moto-api/reset", "/moto-api"])
def test_the_door_of_hosts_has_nothing_of_the_operators(path: str) -> None:
    asked: list[dict[str, Any]] = []
    told: list[str] = []
    door = api_door.hosts_only(_note(asked))

    list(door({"PATH_INFO": path}, lambda status, _: told.append(status)))
    list(door({"PATH_INFO": "/bucket/_lab/"}, lambda status, _: told.append(status)))

    assert told == ["403 Forbidden", "200 OK"]
    assert [one[api_door.FROM_HOST] for one in asked] == [True]


def test_no_header_is_taken_for_the_mark_of_a_door() -> None:
    """What a request says of itself is in the environ under other names."""
    assert not api_door.FROM_HOST.startswith("HTTP_")
