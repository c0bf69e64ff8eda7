"""TLS as AWS's names: who trusts the lab's authority takes them, and nobody else does."""

import socket
import ssl
import stat
import threading
from pathlib import Path

import pytest

from orchestrate.lab import api_names, certificates

REGIONS = ["eu-west-1", "us-west-2"]


def shake_hands(folder: Path, name: str, trusted: str | None) -> str:
    """What a client finds when it calls a server of ours by a name; raises SSLError."""
    server = certificates.server_context(folder, api_names.certified(REGIONS))
    client = ssl.create_default_context(cadata=trusted)
    here, there = socket.socketpair()

    def serve() -> None:
        try:
            server.wrap_socket(there, server_side=True).close()
        except (ssl.SSLError, OSError):
            there.close()

    threading.Thread(target=serve, daemon=True).start()
    with here, client.wrap_socket(here, server_hostname=name) as talking:
        return str(talking.version())


@pytest.mark.parametrize(
    "name",
    [
        "ec2.us-west-2.amazonaws.com",
        "sts.amazonaws.com",
        "models.s3.us-west-2.amazonaws.com",
        "models.s3.amazonaws.com",
    ],
)
def test_who_trusts_the_authority_takes_the_api_s_names(tmp_path: Path, name: str) -> None:
    trusted = certificates.authority(tmp_path)

    assert shake_hands(tmp_path, name, trusted).startswith("TLSv1")


def test_others_are_refused_and_so_are_other_names(tmp_path: Path) -> None:
    trusted = certificates.authority(tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(tmp_path, "ec2.us-west-2.amazonaws.com", None)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(tmp_path, "somebody.example", trusted)


def test_the_authority_is_made_once_and_its_key_is_ours_alone(tmp_path: Path) -> None:
    assert certificates.authority(tmp_path) == certificates.authority(tmp_path)
    assert stat.S_IMODE((tmp_path / "authority.key").stat().st_mode) == 0o600
