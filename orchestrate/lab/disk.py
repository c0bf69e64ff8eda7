"""A host's disk: the shared root file system below, what is the host's own above it.

The upper folder of an overlay is plain files, so a new host gets its identity (name, login, SSH
host key, machine id) by writing there before its first boot; nothing needs to be mounted. An image
may have been made by anybody, and a host's root does as it likes with its disk: all of it is read
and written by `beneath`.
"""

import base64
import hashlib
import os
import posixpath
import re
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

from orchestrate.errors import LabError
from orchestrate.lab import user_data
from orchestrate.lab.beneath import Tree
from orchestrate.lab.spec import AnySpec, RackSpec
from orchestrate.lab.topology import resolver
from orchestrate.plain_text import shown

LOGIN_ID = 1000
TRUSTED = "etc/ssl/certs/ca-certificates.crt"
HOST_KEY = "etc/ssh/ssh_host_ed25519_key"
CONTAINERD = "var/lib/containerd"
HOST_KEYS = "ssh_host_*_key*"
# 51 bytes in base64 (RFC 8709), and one word that can be printed.
# hostname(7); useradd(8), whose names may begin with `_` on Debian, and never with a digit.
HOSTNAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
LOGIN = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
ONE_LINE = re.compile(r"[ -~]*")
PUBLIC_KEY = re.compile(r"ssh-ed25519 (?P<key>[A-Za-z0-9+/]{68}) (?P<comment>[!-~]+)")


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
    def host_key(self) -> str:
        """The public half of the host's SSH key, a line. Raises LabError when there is none."""
        return Tree(self.upper).read(f"{HOST_KEY}.pub")

    @property
    def exists(self) -> bool:
        return self.upper.is_dir() and Tree(self.upper).has("etc/machine-id")


def create(disk: Disk, spec: AnySpec, lower: Sequence[Path], authority: str = "") -> None:
    """Write a new host's identity, once; a disk that is whole is left alone.

    `lower` is what it stands on, from the top down; the last is the root file system. Programs on
    it trust the certificates of `authority` (PEM). Raises LabError for an image whose files cannot
    be what they are called, and for a name, login or key that would be more than that.
    """
    if disk.exists:
        return
    check_words(spec)
    shutil.rmtree(disk.folder, ignore_errors=True)
    for folder in (disk.upper, disk.work, disk.root, disk.containerd):
        folder.mkdir(parents=True)
    disk.folder.chmod(0o700)
    # The mode of the host's own `/`.
    disk.upper.chmod(0o755)
    upper, below = Tree(disk.upper), [Tree(folder) for folder in lower]
    upper.write("etc/hostname", f"{spec.hostname}\n")
    upper.write("etc/hosts", hosts_file(spec))
    upper.write("etc/resolv.conf", f"nameserver {_resolver(spec)}\n")
    private, public = _host_key(spec)
    upper.write(HOST_KEY, private, 0o600)
    upper.write(f"{HOST_KEY}.pub", f"{public} root@{spec.hostname}\n")
    _hide_host_keys(upper, below)
    _add_login(upper, spec, below)
    if authority:
        _trust(upper, authority, below)
    if spec.has_user_data:
        _have_user_data_run(upper, spec)
    # Last, because it makes the disk count as whole.
    upper.write("etc/machine-id", f"{secrets.token_hex(16)}\n", 0o444)


def mount_points(disk: Disk) -> None:
    """Have what is mounted on at each boot: the machine's root can make nothing in the overlay,
    whose users are the host's. Raises LabError.
    """
    Tree(disk.upper).folder(CONTAINERD, 0o711)


def delete(disk: Disk) -> None:
    """Remove all of a host's files; fine when there are none. Raises OSError."""
    if disk.folder.exists():
        shutil.rmtree(disk.folder)


def check_words(spec: AnySpec) -> None:
    """Raise LabError unless a host's name, login and key can mean nothing else in the files they
    are written to: passwd, sudoers, hosts, cloud-init's YAML, authorized_keys. Pure.
    """
    wanted = (
        ("name", HOSTNAME, spec.hostname),
        ("login", LOGIN, spec.user),
        ("public key", ONE_LINE, spec.public_key.strip()),
    )
    for what, pattern, said in wanted:
        if pattern.fullmatch(said) is None:
            raise LabError(f"no host can have the {what} '{shown(said)}'")


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
    found = (fields[5] for fields in accounts if fields[0] == user and len(fields) > 5)
    return next(found, None)


def host_keys(public: str) -> str:
    """What cloud-init prints of an SSH host key, for who reads the console to compare. Pure.

    `public` is the line of the key's file: kind, key, comment. Raises LabError for any other text.
    """
    found = PUBLIC_KEY.fullmatch(public.strip())
    if found is None:
        raise LabError("the host's own SSH key is no ed25519 key any more")
    digest = base64.b64encode(hashlib.sha256(base64.b64decode(found["key"])).digest()).decode()
    return f"""\
-----BEGIN SSH HOST KEY FINGERPRINTS-----
256 SHA256:{digest.rstrip("=")} {found["comment"]} (ED25519)
-----END SSH HOST KEY FINGERPRINTS-----
-----BEGIN SSH HOST KEY KEYS-----
{public.strip()}
-----END SSH HOST KEY KEYS-----
"""


def _add_login(upper: Tree, spec: AnySpec, lower: Sequence[Tree]) -> None:
    owner = (LOGIN_ID, LOGIN_ID)
    known = login_home(_topmost(lower, "etc/passwd").read("etc/passwd"), spec.user)
    home = known or f"/home/{spec.user}"
    if known is None:
        for name, line in login_lines(spec.user).items():
            below = _topmost(lower, f"etc/{name}")
            seen = below.status(f"etc/{name}")
            text = below.read(f"etc/{name}") + line
            upper.write(f"etc/{name}", text, seen.st_mode & 0o777, (seen.st_uid, seen.st_gid))
        upper.write("etc/sudoers.d/90-cloud", f"{spec.user} ALL=(ALL) NOPASSWD:ALL\n", 0o440)
        upper.folder(home, 0o755, owner)
        for name in lower[-1].names("etc/skel"):
            upper.write(f"{home}/{name}", lower[-1].read(f"etc/skel/{name}"), 0o644, owner)
    if spec.public_key:
        upper.folder(home, 0o755, owner)
        upper.folder(f"{home}/.ssh", 0o700, owner)
        authorized = f"{spec.public_key.strip()}\n"
        upper.write(f"{home}/.ssh/authorized_keys", authorized, 0o600, owner)


def _hide_host_keys(upper: Tree, lower: Sequence[Tree]) -> None:
    # What an image brings along, such as keys of other kinds, all its hosts would share.
    folder = posixpath.dirname(HOST_KEY)
    for name in {key for below in lower for key in below.names(folder, HOST_KEYS)}:
        if not upper.has(f"{folder}/{name}"):
            # Overlayfs's sign for "not there".
            upper.device(f"{folder}/{name}", stat.S_IFCHR, os.makedev(0, 0))


def _trust(upper: Tree, authority: str, lower: Sequence[Tree]) -> None:
    """As `update-ca-certificates` would, which takes it along from now on."""
    trusted = _topmost(lower, TRUSTED).read(TRUSTED)
    if authority not in trusted:
        upper.write(TRUSTED, trusted + authority)
        upper.write("usr/local/share/ca-certificates/orchestrate-lab.crt", authority)


def _topmost(lower: Sequence[Tree], name: str) -> Tree:
    found = next((below for below in lower if below.has(name)), None)
    if found is None:
        raise LabError(f"the image has no {name}")
    return found


def _have_user_data_run(upper: Tree, spec: AnySpec) -> None:
    for name, text in user_data.host_files(spec).items():
        upper.write(name, text)
    wish = f"etc/systemd/system/multi-user.target.wants/{user_data.UNIT}"
    upper.link(wish, f"../{user_data.UNIT}")


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
