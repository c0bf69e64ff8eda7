"""What is shipped to a host: the role's cookbooks, and what runs them, as one archive.

Its digest is of the content alone, so the same files give the same archive on every machine,
whatever else lies among them.
"""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate import content
from orchestrate.chef import cookbooks, roles
from orchestrate.errors import OrchestrateError

# Levels above cost time and save nothing over a network inside one region.
COMPRESSION = 6


@dataclass(frozen=True)
class Archive:
    """`data` is a gzipped tar with `cookbooks/ roles/ client/`, and `stand-in/` for the lab.

    `digest` is the SHA-256 of the files' names, modes and contents, in hex; `cookbooks` are those
    of the role's run list, whose suites a host must pass.
    """

    role: str
    digest: str
    cookbooks: tuple[str, ...]
    data: bytes = field(repr=False)


def pack(chef: Path, role: str, *, stand_in: bool) -> Archive:
    """Pack what a role needs; `chef` is the repository's folder of that name.

    The stand-in goes along only to hosts of a lab: on others there is nothing it could be taken
    for. Raises OrchestrateError for an unknown role, cookbook or dependency.
    """
    found = roles.load(chef, role)
    files = sorted(_files(chef, found, stand_in))
    return Archive(role, _digest(chef, files), found.cookbooks, _tar(chef, files))


def _files(chef: Path, role: roles.Role, stand_in: bool) -> Iterator[Path]:
    for cookbook in cookbooks.closure(chef, role.cookbooks):
        yield from _below(chef / "cookbooks" / cookbook)
    for name in role.roles:
        yield chef / "roles" / f"{name}.json"
    yield from _below(chef / "client")
    if stand_in:
        yield from _below(chef / "stand-in")


def _below(folder: Path) -> Iterator[Path]:
    """The files to pack. Raises OrchestrateError for one that a link makes another file of: what
    lies elsewhere on this machine is nobody's to send to hosts.
    """
    home = folder.resolve()
    for path in content.files(folder):
        if not path.resolve().is_relative_to(home):
            raise OrchestrateError(
                "a link to a file elsewhere, which would be sent to hosts",
                where=str(path),
                fix="put the file itself there",
            )
        if path.suffix != ".md":
            yield path


def _digest(chef: Path, files: list[Path]) -> str:
    whole = hashlib.sha256()
    for path in files:
        one = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(chef)} {_mode(path):o} {one}\n".encode())
    return whole.hexdigest()


def _tar(chef: Path, files: list[Path]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in files:
            entry = tarfile.TarInfo(str(path.relative_to(chef)))
            entry.size, entry.mode = path.stat().st_size, _mode(path)
            tar.addfile(entry, io.BytesIO(path.read_bytes()))
    return gzip.compress(raw.getvalue(), COMPRESSION, mtime=0)


def _mode(path: Path) -> int:
    # git keeps no more of a mode than this.
    return 0o755 if path.stat().st_mode & 0o100 else 0o644
