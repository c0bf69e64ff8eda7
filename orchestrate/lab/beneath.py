"""Files beneath a folder whose content somebody else decides: a host's root, an image's layer.

The lab's daemon is root on this machine, and who is root in a host names the files there. A
symbolic link, or a `..` in /etc/passwd, would lead the daemon out to the machine's own files. So
all that reads or writes beneath such a folder does it here, and the kernel resolves every name as
if the folder were `/`: openat2(2) with RESOLVE_IN_ROOT, of Linux 5.6. Older kernels are refused;
nothing falls back to a way that follows links.
"""

import ctypes
import errno
import os
import posixpath
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path

from orchestrate.errors import LabError

OPENAT2 = 437  # the same number on every architecture, see openat2(2)
RESOLVE_NO_MAGICLINKS, RESOLVE_IN_ROOT = 0x02, 0x10  # <linux/openat2.h>
FOLDER = os.O_RDONLY | os.O_DIRECTORY
# A file of /etc, the largest of which are lists of certificates.
MOST_BYTES = 16 * 2**20
Owner = tuple[int, int]  # user and group

_libc = ctypes.CDLL(None, use_errno=True)


class _How(ctypes.Structure):
    """`struct open_how` of openat2(2)."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def missing() -> str | None:
    """Why nothing can be opened beneath a folder here, in one line; None when it can."""
    try:
        with Tree(Path("/")).opened("/", FOLDER):
            return None
    except LabError as refused:
        return f"the kernel cannot open files beneath a folder (Linux 5.6 can): {refused.what}"


class Tree:
    """The files beneath `folder`, which is ours itself. A leading slash in a name is the folder.

    Every method raises LabError, with the folder in `where`, for what is not there, is not what
    it should be, or is refused. What has no `owner` is ours: the daemon's, which is root.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, name: str) -> bool:
        """Whether there is something of this name, if only a link that leads nowhere."""
        try:
            with self.opened(name, os.O_PATH | os.O_NOFOLLOW):
                return True
        except LabError as refused:
            if isinstance(refused.__cause__, FileNotFoundError | NotADirectoryError):
                return False
            raise

    def read(self, name: str) -> str:
        """The text of a file: bytes that are no UTF-8 survive as surrogates. At most 16 MiB."""
        # By O_PATH first: to open a device or a pipe may already do something, or wait for ever.
        with self.opened(name, os.O_PATH) as found, self._telling(name):
            seen = os.fstat(found)
            if not stat.S_ISREG(seen.st_mode):
                raise OSError(errno.EINVAL, "not a file")
            if seen.st_size > MOST_BYTES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
            with Path(f"/proc/self/fd/{found}").open("rb") as file:
                return file.read(MOST_BYTES).decode(errors="surrogateescape")

    def status(self, name: str) -> os.stat_result:
        """Owner and mode of what a name leads to."""
        with self.opened(name, os.O_PATH) as found:
            return os.fstat(found)

    def names(self, folder: str, pattern: str = "*") -> list[str]:
        """What a folder has of this pattern, sorted; nothing where there is no such folder."""
        if not self.has(folder):
            return []
        with self.opened(folder, FOLDER) as found:
            everything = os.listdir(found)  # noqa: PTH208 - of a descriptor, not a path
            return sorted(name for name in everything if fnmatchcase(name, pattern))

    def write(self, name: str, text: str, mode: int = 0o644, owner: Owner | None = None) -> None:
        """A new file in place of whatever has this name, its folder made if need be."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self._place(name) as (folder, last):
            handle = os.open(last, flags, 0o600, dir_fd=folder)
            with os.fdopen(handle, "w", errors="surrogateescape") as file:
                _belong(handle, mode, owner)
                file.write(text)

    def link(self, name: str, target: str) -> None:
        """A symbolic link in place of whatever has this name."""
        with self._place(name) as (folder, last):
            os.symlink(target, last, dir_fd=folder)

    def device(self, name: str, kind: int, number: int) -> None:
        """A device in place of whatever has this name; `kind` as in stat(2)."""
        with self._place(name) as (folder, last):
            os.mknod(last, kind, number, dir_fd=folder)

    def remove(self, name: str) -> None:
        """Remove a file, or a link, not what it leads to. Fine when there is none."""
        if self.has(posixpath.dirname(_plain(name))):
            with self._place(name):
                pass

    def rename(self, folder: str, name: str, to: str) -> None:
        """Another name, in the same folder, for what is in it."""
        with self.opened(folder, FOLDER) as found, self._telling(f"{folder}/{name}"):
            os.rename(name, to, src_dir_fd=found, dst_dir_fd=found)

    def folder(self, name: str, mode: int = 0o755, owner: Owner | None = None) -> None:
        """A new folder with this mode and owner, those above it root's; one that is there stays."""
        if not self.has(name):
            with self._made(_plain(name)) as found, self._telling(name):
                _belong(found, mode, owner)

    @contextmanager
    def opened(self, name: str, flags: int) -> Iterator[int]:
        """What a name leads to, as a descriptor; it is open while inside."""
        with self._telling(name):
            top = os.open(self._folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                found = _open_in_root(top, _plain(name), flags)
            finally:
                os.close(top)
        try:
            yield found
        finally:
            os.close(found)

    @contextmanager
    def _place(self, name: str) -> Iterator[tuple[int, str]]:
        """Where something new gets this name: its folder, and its last part, which is free."""
        above, last = posixpath.split(_plain(name))
        with self._made(above) as folder, self._telling(name):
            if last in ("", "."):
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
            with suppress(FileNotFoundError):
                os.unlink(last, dir_fd=folder)
            yield folder, last

    @contextmanager
    def _made(self, name: str) -> Iterator[int]:
        """A folder, made with those above it where they are missing."""
        if not self.has(name):
            with self._made(posixpath.dirname(name)) as above, self._telling(name):
                os.mkdir(posixpath.basename(name), dir_fd=above)
                # What the process takes from modes (umask) is no matter for a host's root.
                with self.opened(name, FOLDER) as made:
                    os.fchmod(made, 0o755)
        with self.opened(name, FOLDER) as found:
            yield found

    @contextmanager
    def _telling(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            what = f"{name}: {error.strerror}"
            raise LabError(what, where=str(self._folder)) from error


def _belong(handle: int, mode: int, owner: Owner | None) -> None:
    if owner:
        os.fchown(handle, *owner)
    os.fchmod(handle, mode)  # after the owner, whose change takes the set-id bits away


def _plain(name: str) -> str:
    """A name without `..`, which at a root leads nowhere else; "." for the root."""
    return posixpath.normpath(f"/{name}").lstrip("/") or "."


def _open_in_root(top: int, name: str, flags: int) -> int:
    """openat2(2), which Python doesn't have. Raises OSError."""
    how = _How(flags | os.O_CLOEXEC, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)
    path = os.fsencode(name)
    # EAGAIN: something was renamed meanwhile, and the kernel cannot tell whether we left the root.
    for _ in range(100):
        found = int(_libc.syscall(OPENAT2, top, path, ctypes.byref(how), ctypes.sizeof(how)))
        if found >= 0:
            return found
        if ctypes.get_errno() != errno.EAGAIN:
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), name)
