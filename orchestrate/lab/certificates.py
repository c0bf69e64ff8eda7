"""The lab's certificate authority, and a certificate of it for the AWS API's names.

The authority is made once and serves all labs of this user: images that were baked trust it too.
"""

import os
import ssl
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from filelock import FileLock

AUTHORITY = "authority"  # its folder in the cache
ISSUER, SERVER = "orchestrate lab authority", "orchestrate lab"
VALID = timedelta(days=3650)
# A clock that is a little behind takes it as well.
SLACK = timedelta(days=1)


def authority(folder: Path) -> str:
    """The authority's certificate (PEM), made in `folder` with its key if it isn't there."""
    certificate = folder / "authority.pem"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "authority.lock"):
        if not certificate.exists():
            _make(folder)
    return certificate.read_text()


def server_context(folder: Path, names: Iterable[str]) -> ssl.SSLContext:
    """A server's side of TLS as these names; a new key each time, so none has to be kept."""
    issued = authority(folder)
    signer = load_pem_private_key((folder / "authority.key").read_bytes(), None)
    assert isinstance(signer, EllipticCurvePrivateKey)  # as `_make` made it
    key = generate_private_key(SECP256R1())
    alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    certificate = (
        _builder(SERVER)
        .public_key(key.public_key())
        .add_extension(alternatives, critical=False)
        .add_extension(usage, critical=False)
        .sign(signer, SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # It reads files only, and these are nobody else's.
    with tempfile.NamedTemporaryFile() as both:
        both.write(_private(key) + certificate.public_bytes(Encoding.PEM) + issued.encode())
        both.flush()
        context.load_cert_chain(both.name)
    return context


def _make(folder: Path) -> None:
    key = generate_private_key(SECP256R1())
    certificate = (
        _builder(ISSUER)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, SHA256())
    )
    handle = os.open(folder / "authority.key", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(_private(key))
    # Last, because it makes the authority count as there.
    (folder / "authority.pem").write_bytes(certificate.public_bytes(Encoding.PEM))


def _builder(subject: str) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .issuer_name(_named(ISSUER))
        .subject_name(_named(subject))
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLACK)
        .not_valid_after(now + VALID)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _private(key: EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
