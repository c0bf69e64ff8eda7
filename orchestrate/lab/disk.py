"""A host's disk: the shared root file system below, what is the host's own above it.

The upper folder of an overlay is plain files, so a new host gets its identity (name, login, SSH
host key, machine id) by writing there before its first boot; nothing needs to be mounted.
"""

import base64
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from orchestrate.lab import user_data
from orchestrate.lab.spec import AnySpec, RackSpec
from orchestrate.lab.topology import resolver

LOGIN_ID = 1000
TRUSTED = "etc/ssl/certs/ca-certificates.crt"
HOST_KEY = "etc/ssh/ssh_host_ed25519_key"
HOST_KEYS = "ssh_host_*_key*"


@dataclass(frozen=True)
class Disk:
    """The folder of one host and what stands in it."""

    folder: Path

    @property
    def upper(self) -> Path:
        """What differs from the root file system."""
        return self.folder / "disk"

    @property
    def work(self) -> Path:
        """Overlayfs's own."""
        return self.folder / "work"

    @property
    def root(self) -> Path:
        """Where the host's own processes, and nobody else's, find the two as one."""
        return self.folder / "root"

    @property
    def containerd(self) -> Path:
        """The host's /var/lib/containerd: overlayfs refuses to stand on overlayfs."""
        return self.folder / "containerd"

    @property
    def console(self) -> Path:
        return self.folder / "console.log"

    @property
    def host_key(self) -> Path:
        """The public half of the host's SSH key."""
        return self.upper / f"{HOST_KEY}.pub"

    @property
    def exists(self) -> bool:
        return (self.upper / "etc/machine-id").is_file()


def create(disk: Disk, spec: AnySpec, lower: Sequence[Path], authority: str = "") -> None:
    """Write a new host's identity, once; a disk that is whole is left alone.

    `lower` is what it stands on, from the top down; the last is the root file system. Programs on
    it trust the certificates of `authority` (PEM).
    """
    if disk.exists:
        return
    shutil.rmtree(disk.folder, ignore_errors=True)
    for folder in (disk.upper, disk.work, disk.root, disk.containerd):
        folder.mkdir(parents=True)
    disk.folder.chmod(0o700)
    # The mode of the host's own `/`.
    disk.upper.chmod(0o755)
    _write(disk.upper / "etc/hostname", f"{spec.hostname}\n")
    _write(disk.upper / "etc/hosts", hosts_file(spec))
    _write(disk.upper / "etc/resolv.conf", f"nameserver {_resolver(spec)}\n")
    private, public = _host_key(spec)
    _write(disk.upper / HOST_KEY, private, 0o600)
    _write(disk.host_key, f"{public} root@{spec.hostname}\n")
    _hide_host_keys(disk.upper, lower)
    _add_login(disk.upper, spec, lower)
    if authority:
        _trust(disk.upper, authority, lower)
    if spec.has_user_data:
        _have_user_data_run(disk.upper, spec)
    # Last, because it makes the disk count as whole.
    _write(disk.upper / "etc/machine-id", f"{secrets.token_hex(16)}\n", 0o444)


def delete(disk: Disk) -> None:
    """Remove all of a host's files; fine when there are none. Raises OSError."""
    if disk.folder.exists():
        shutil.rmtree(disk.folder)


def hosts_file(spec: AnySpec) -> str:
    """The text of a host's /etc/hosts: itself, so that sudo needs no name server."""
    return f"127.0.0.1 localhost\n{spec.private_ip} {spec.hostname}\n::1 localhost ip6-localhost\n"


def login_lines(user: str) -> dict[str, str]:
    """What a login adds to /etc/passwd, shadow and group. No password fits `*`."""
    number = LOGIN_ID
    return {
        "passwd": f"{user}:x:{number}:{number}::/home/{user}:/bin/bash\n",
        "shadow": f"{user}:*:20000:0:99999:7:::\n",
        "group": f"{user}:x:{number}:\n",
    }


def login_home(passwd: str, user: str) -> str | None:
    """Where an account lives, by the text of /etc/passwd; None when there is no such account."""
    accounts = (line.split(":") for line in passwd.splitlines())
    return next((fields[5] for fields in accounts if fields[0] == user), None)


def host_keys(public: str) -> str:
    """What cloud-init prints of an SSH host key, for who reads the console to compare. Pure.

    `public` is the line of the key's file: kind, key, comment.
    """
    _, key, comment = public.split(maxsplit=2)
    digest = base64.b64encode(hashlib.sha256(base64.b64decode(key)).digest()).decode()
    return f"""\
-----BEGIN SSH HOST KEY FINGERPRINTS-----
256 SHA256:{digest.rstrip("=")} {comment.strip()} (ED25519)
-----END SSH HOST KEY FINGERPRINTS-----
-----BEGIN SSH HOST KEY KEYS-----
{public.strip()}
-----END SSH HOST KEY KEYS-----
"""


def _add_login(upper: Path, spec: AnySpec, lower: Sequence[Path]) -> None:
    known = login_home(_topmost(lower, "etc/passwd").read_text(), spec.user)
    home = upper / (known or f"/home/{spec.user}").lstrip("/")
    if known is None:
        for name, line in login_lines(spec.user).items():
            below = _topmost(lower, f"etc/{name}")
            _write(upper / "etc" / name, below.read_text() + line, below.stat().st_mode & 0o777)
            os.chown(upper / "etc" / name, below.stat().st_uid, below.stat().st_gid)
        _write(upper / "etc/sudoers.d/90-cloud", f"{spec.user} ALL=(ALL) NOPASSWD:ALL\n", 0o440)
        shutil.copytree(lower[-1] / "etc/skel", home)
    if spec.public_key:
        _write(home / ".ssh/authorized_keys", f"{spec.public_key.strip()}\n", 0o600)
        (home / ".ssh").chmod(0o700)
    for path in (home, *home.rglob("*")) if home.exists() else ():
        os.chown(path, LOGIN_ID, LOGIN_ID)


def _hide_host_keys(upper: Path, lower: Sequence[Path]) -> None:
    # What an image brings along, such as keys of other kinds, all its hosts would share.
    for key in (found for below in lower for found in (below / HOST_KEY).parent.glob(HOST_KEYS)):
        own = upper / key.relative_to(key.parents[2])
        if not own.exists():
            os.mknod(own, stat.S_IFCHR, os.makedev(0, 0))  # overlayfs's sign for "not there"


def _trust(upper: Path, authority: str, lower: Sequence[Path]) -> None:
    """As `update-ca-certificates` would, which takes it along from now on."""
    trusted = _topmost(lower, TRUSTED).read_text()
    if authority not in trusted:
        _write(upper / TRUSTED, trusted + authority)
        _write(upper / "usr/local/share/ca-certificates/orchestrate-lab.crt", authority)


def _topmost(lower: Sequence[Path], name: str) -> Path:
    return next(below / name for below in lower if (below / name).exists())


def _have_user_data_run(upper: Path, spec: AnySpec) -> None:
    for name, text in user_data.host_files(spec).items():
        _write(upper / name, text)
    wish = upper / "etc/systemd/system/multi-user.target.wants" / user_data.UNIT
    wish.parent.mkdir(parents=True, exist_ok=True)
    wish.symlink_to(f"../{user_data.UNIT}")


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def _resolver(spec: AnySpec) -> IPv4Address:
    return spec.resolver if isinstance(spec, RackSpec) else resolver(spec.vpc_cidr)


def _host_key(spec: AnySpec) -> tuple[str, str]:
    """A new key, or the rack's own: the text of its file, its public line without a comment."""
    if isinstance(spec, RackSpec):
        key = Ed25519PrivateKey.from_private_bytes(spec.host_key)
    else:
        key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    return private, public
