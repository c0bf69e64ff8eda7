"""The operator's SSH key of a lab, made once in its state folder."""

import os
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from orchestrate.lab.paths import LabFiles


def make_operator_key(files: LabFiles) -> None:
    """Make an ed25519 key pair. The private half is readable by us only, the public one last."""
    key = Ed25519PrivateKey.generate()
    _write_private(files.identity, _private(key))
    files.public_key.write_text(f"{_public(key)} orchestrate-lab\n")


def _write_private(path: Path, text: bytes) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(text)


def _private(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )


def _public(key: Ed25519PrivateKey) -> str:
    return (
        key.public_key()
        .public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        .decode()
    )
