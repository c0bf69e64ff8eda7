"""Status checks from what became of a host."""

import pytest

from orchestrate.lab.gaps.hosts import status_of
from orchestrate.lab.spec import HostState


@pytest.mark.parametrize(
    ("host", "status", "check"),
    [
        (None, "initializing", "initializing"),
        (HostState("starting"), "initializing", "initializing"),
        (HostState("stopped"), "initializing", "initializing"),
        (HostState("running"), "ok", "passed"),
        (HostState("failed", "boot: no room"), "impaired", "failed"),
    ],
)
def test_a_status_says_how_the_host_is(host: HostState | None, status: str, check: str) -> None:
    assert status_of(host) == (status, check)
