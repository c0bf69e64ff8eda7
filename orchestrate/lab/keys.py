"""The operator's SSH key of a lab, made once in its state folder."""

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from orchestrate.lab import own_folder
from orchestrate.lab.paths import LabFiles


def make_operator_key(files: LabFiles) -> None:
    """Make an ed25519 key pair. The private half is readable by us only, the public one last."""
    key = Ed25519PrivateKey.generate()
    own_folder.write(files.identity, _private(key))
    files.public_key.write_text(f"{_public(key)} orchestrate-lab\n")


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
