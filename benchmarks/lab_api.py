"""The lab's API beside plain moto: the wait for one answer, and a large account.

Both answer the same signed DescribeVpcs, in turns, to one caller and to ten at once. The lab adds
the account, its lock and its log to what moto does, and asks what never changes only once. Then
each gets two thousand instances in thirty auto scaling groups, and lists them as SDKs do, once.
"""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from benchmarks.large_account import ACCOUNT, GROUPS, INSTANCES, LargeAccount
from benchmarks.measure import Measurement, Side, in_turns, seconds
from orchestrate.lab import control, secret
from orchestrate.lab.paths import LabFiles

BODY = "Action=DescribeVpcs&Version=2016-11-15"
FORM = "application/x-www-form-urlencoded; charset=utf-8"
REQUESTS = 100
CALLERS = (1, 10)


def measure(rounds: int = 5) -> Iterator[Measurement]:
    """Milliseconds a request, and the lab's as a multiple of moto's."""
    with _moto() as plain, _lab() as ours:
        sides = {"moto": (plain, "any"), "the lab": ours}
        for callers in CALLERS:
            works = {who: Side(partial(_call, *one, callers)) for who, one in sides.items()}
            taken = in_turns(rounds, works)
            for who, took in taken.items():
                what = f"{who}, {callers} caller{'s' if callers > 1 else ''}"
                yield Measurement(what, took / REQUESTS * 1000, "ms", note=_rate(took))
            ratio = taken["the lab"] / taken["moto"]
            yield Measurement(f"the lab / moto, {callers} at once", ratio, "x", 1.0)
        yield from _large_account(sides)


def _large_account(sides: Mapping[str, tuple[str, str]]) -> Iterator[Measurement]:
    what = f"{INSTANCES:,} instances in {GROUPS} groups"
    made, listed = {}, {}
    for who, (endpoint, key) in sides.items():
        account = LargeAccount(endpoint, key)
        made[who], listed[who] = seconds(account.fill), seconds(account.show)
        yield Measurement(f"{who}, {what} made", made[who], "s")
        yield Measurement(f"{who}, {what} listed", listed[who], "s")
    yield Measurement("the lab / moto, made", made["the lab"] / made["moto"], "x", 0.5)
    yield Measurement("the lab / moto, listed", listed["the lab"] / listed["moto"], "x", 0.5)


def _rate(took: float) -> str:
    return f"{REQUESTS / took:.0f} requests/s"


def _call(endpoint: str, key: str, callers: int) -> None:
    place, headers = urlsplit(endpoint), _signed(endpoint, key)

    def some(count: int) -> None:
        # Kept as an SDK keeps it; it opens another where the server closes it, as moto's does.
        connection = http.client.HTTPConnection(str(place.hostname), place.port)
        for _ in range(count):
            connection.request("POST", "/", BODY, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{endpoint} answered {answer.status}")
        connection.close()

    with ThreadPoolExecutor(callers) as pool:
        list(pool.map(some, [REQUESTS // callers] * callers))


def _signed(endpoint: str, key: str) -> dict[str, str]:
    request = AWSRequest("POST", endpoint + "/", data=BODY, headers={"Content-Type": FORM})
    SigV4Auth(Credentials(ACCOUNT, key), "ec2", "us-west-2").add_auth(request)
    return dict(request.prepare().headers)


@contextmanager
def _lab() -> Iterator[tuple[str, str]]:
    """An endpoint, and the secret key of ACCOUNT."""
    with tempfile.TemporaryDirectory() as folder:
        files = LabFiles(Path(folder))
        record, _ = control.up(files, hosts=False, progress=lambda _stage: None)
        try:
            yield record.endpoint, secret.read(files).access_key(ACCOUNT)
        finally:
            control.down(files, progress=lambda _stage: None)


@contextmanager
def _moto() -> Iterator[str]:
    with tempfile.TemporaryFile() as log:
        port = _free_port()
        process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-p", str(port)],
            stdout=log,
            stderr=log,
            env={**os.environ, "MOTO_PORT": str(port)},
        )
        try:
            yield _answering(f"http://127.0.0.1:{port}", process)
        finally:
            process.terminate()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answering(endpoint: str, process: "subprocess.Popen[bytes]") -> str:
    while process.poll() is None:
        try:
            _call(endpoint, "any", 1)
        except OSError:
            time.sleep(0.1)
        else:
            return endpoint
    raise RuntimeError("moto's own server ended")
