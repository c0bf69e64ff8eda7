"""The server of the lab's API, asked over real sockets: what clients may do, and what they get."""

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrate.lab.certificates import authority, server_context
from orchestrate.lab.http_server import HEADERS, LONG, HttpServer, MayBeLong

LARGE = 20_000_000


class Application:
    """Answers with as many bytes as the query says, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.fails: Callable[[], None] = lambda: None

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        self.fails()
        body = environ["wsgi.input"].read()
        self.asked.append({**environ, "body": body})
        status, size = ("304 Not Modified", 0) if environ["PATH_INFO"] == "/304" else ("200 OK", 2)
        size = int(environ["QUERY_STRING"]) if environ["QUERY_STRING"].isdigit() else size
        start(status, [] if status.startswith("304") else [("Content-Length", str(size))])
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else b"x" * size]


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture
def port(application: Application) -> Iterator[int]:
    yield from _served(application, None)


@pytest.fixture
def client(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=30)


def _served(
    application: Application,
    context: ssl.SSLContext | None,
    may_be_long: MayBeLong = lambda _: True,
) -> Iterator[int]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = HttpServer(listening, application, may_be_long, context)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def _ask(client: http.client.HTTPConnection, *request: Any, **options: Any) -> bytes:
    client.request(*request, **options)
    return client.getresponse().read()


def test_a_connection_is_kept_whatever_is_asked_on_it(
    client: http.client.HTTPConnection, application: Application
) -> None:
    _ask(client, "GET", "/")
    first = client.sock

    assert _ask(client, "POST", "/", b"Action=DescribeVpcs") == b"xx"
    assert _ask(client, "HEAD", "/bucket?7") == b""
    assert _ask(client, "GET", "/304") == b""
    assert _ask(client, "DELETE", "/bucket/key?0") == b""
    assert _ask(client, "GET", "/?3") == b"xxx"
    assert client.sock is first
    assert {one["REMOTE_PORT"] for one in application.asked} == {str(first.getsockname()[1])}


def test_headers_and_body_leave_in_one_write(port: int, application: Application) -> None:
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /?1000 HTTP/1.1\r\nHost: lab\r\n\r\n")
        head, _, body = client.recv(4096).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" not in head.lower()
    assert body == b"x" * 1000


def test_large_bodies_go_both_ways(
    client: http.client.HTTPConnection, application: Application
) -> None:
    assert len(_ask(client, "PUT", f"/bucket/key?{LARGE}", b"y" * LARGE)) == LARGE
    assert application.asked[0]["body"] == b"y" * LARGE


def test_a_chunked_upload_is_whole_and_the_next_call_is_understood(
    client: http.client.HTTPConnection, application: Application
) -> None:
    chunks = iter([b"a" * 70_000, b"b"])

    _ask(client, "PUT", "/", chunks, encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
    _ask(client, "GET", "/next")

    assert application.asked[0]["body"] == b"a" * 70_000 + b"b"
    assert application.asked[0]["CONTENT_LENGTH"] == "70001"
    assert application.asked[1]["PATH_INFO"] == "/next"


def test_who_waits_to_be_told_to_continue_is_told(port: int, application: Application) -> None:
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(
            b"PUT / HTTP/1.1\r\nHost: lab\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        )
        assert client.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"abc")
        assert client.recv(4096).endswith(b"xx")
    assert application.asked[0]["body"] == b"abc"


def test_a_call_that_breaks_off_is_not_done(port: int, application: Application) -> None:
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"PUT / HTTP/1.1\r\nHost: lab\r\nContent-Length: 10\r\n\r\nabc")
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass

    assert application.asked == []


def test_an_answer_that_is_to_be_dropped_ends_that_connection_only(
    client: http.client.HTTPConnection, application: Application
) -> None:
    def drop() -> None:
        application.fails = lambda: None
        raise ConnectionAbortedError(103, "dropped")

    application.fails = drop

    with pytest.raises(http.client.RemoteDisconnected):
        _ask(client, "GET", "/")
    assert _ask(client, "GET", "/") == b"xx"


@pytest.mark.parametrize(
    ("target", "host", "path"),
    [
        ("/a%2Fb%20c", "lab", "/a/b c"),
        ("//key", "lab", "//key"),
        ("/bucket/?delete", "lab", "/bucket/"),
        ("http://1234.lab:80/v2018/x?y=http://z", "1234.lab:80", "/v2018/x"),
        ("http://1234.lab", "1234.lab", "/"),
    ],
)
def test_paths_reach_moto_as_they_were_meant(
    port: int, application: Application, target: str, host: str, path: str
) -> None:
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(f"PUT {target} HTTP/1.1\r\nHost: lab\r\n\r\n".encode())
        assert client.recv(4096)

    assert application.asked[-1]["HTTP_HOST"] == host
    assert application.asked[-1]["PATH_INFO"] == path
    assert application.asked[-1]["RAW_URI"] == target


def test_metadata_keeps_its_underscores_and_nothing_else_does(
    client: http.client.HTTPConnection, application: Application
) -> None:
    _ask(client, "PUT", "/", headers={"x-amz-meta-my_key": "kept", "X_Forwarded": "dropped"})

    asked = application.asked[0]
    assert asked["HTTP_X_AMZ_META_MY_KEY"] == "kept"
    assert asked["moto.preserved_header_names"] == {"HTTP_X_AMZ_META_MY_KEY": "x-amz-meta-my_key"}
    assert "HTTP_X_FORWARDED" not in asked


def test_connections_in_store_and_hanging_ones_keep_nobody_waiting(
    client: http.client.HTTPConnection, port: int, application: Application
) -> None:
    stored = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
    try:
        assert _ask(client, "GET", "/") == b"xx"
        # None was closed or answered meanwhile, and each can be used.
        stored[150].sendall(b"GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
        assert stored[150].recv(4096).endswith(b"xx")
    finally:
        for one in stored:
            one.close()


def test_hosts_are_answered_over_tls_while_another_hangs_in_its_handshake(
    application: Application, tmp_path: Path
) -> None:
    trusted = ssl.create_default_context(cadata=authority(tmp_path))
    for port in _served(application, server_context(tmp_path, ["ec2.lab"])):
        with (
            socket.create_connection(("127.0.0.1", port)) as hanging,
            socket.create_connection(("127.0.0.1", port)) as plain,
        ):
            hanging.sendall(b"\x16\x03\x01")
            secure = trusted.wrap_socket(plain, server_hostname="ec2.lab")
            for _ in range(2):
                secure.sendall(b"GET /?9 HTTP/1.1\r\nHost: ec2.lab\r\n\r\n")
                assert secure.recv(4096).endswith(b"x" * 9)
    assert [one["wsgi.url_scheme"] for one in application.asked] == ["https", "https"]


@pytest.mark.parametrize("chunked", [False, True])
def test_a_long_body_of_a_stranger_is_not_read(application: Application, chunked: bool) -> None:
    """Else whoever reaches the port fills the daemon's memory."""
    asked: list[str] = []

    def strangers(environ: Mapping[str, Any]) -> bool:
        asked.append(environ["PATH_INFO"])
        return False

    for port in _served(application, None, strangers):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        _ask(client, "PUT", "/short", b"x" * LONG)
        headers = {"Transfer-Encoding": "chunked"} if chunked else {}
        body = iter([b"x" * LONG, b"x"]) if chunked else b"x" * (LONG + 1)
        with pytest.raises((OSError, http.client.HTTPException)):
            _ask(client, "PUT", "/long", body, encode_chunked=chunked, headers=headers)
        again = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        assert _ask(again, "GET", "/") == b"xx"
    assert [one["PATH_INFO"] for one in application.asked] == ["/short", "/"]
    assert asked == ["/long"]


def test_headers_without_end_are_not_read(port: int, application: Application) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: lab\r\n")
        try:
            for number in range(2 * HEADERS // 1000):
                client.sendall(b"x-%d: %s\r\n" % (number, b"y" * 1000))
            told = client.recv(4096)
        except ConnectionError:
            told = b""
    assert told[:12] in (b"", b"HTTP/1.1 413")
    assert application.asked == []
