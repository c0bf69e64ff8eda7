"""Bastions, each held open by one connection that every host behind it shares."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from orchestrate.hosts.ssh_config import quoted, word
from orchestrate.verify.root_shell import AS_LOGGED_IN, Gone, RootShell


@contextmanager
def opened(config: Path, doors: Sequence[str]) -> Iterator[tuple[Path, dict[str, str]]]:
    """The SSH configuration to use within this block, and why each door that is shut is so."""
    with tempfile.TemporaryDirectory(prefix="orchestrate-verify-") as name, ExitStack() as ends:
        shared = Path(name) / "ssh_config"
        shared.write_text(through_open_doors(config.read_text(), doors, Path(name)))
        shut = {}
        with ThreadPoolExecutor(max(len(doors), 1)) as pool:
            for door, found in zip(doors, pool.map(lambda d: _open(shared, d), doors), strict=True):
                if isinstance(found, Gone):
                    shut[door] = f"{door}: {found}"
                else:
                    ends.callback(found.close)
        yield shared, shut


def _open(config: Path, door: str) -> RootShell | Gone:
    # The first connection listens at the socket until it ends; it ends with this process at the
    # latest, because its shell then has no more input.
    try:
        return RootShell.open(config, door, AS_LOGGED_IN)
    except Gone as gone:
        return gone


def through_open_doors(text: str, doors: Iterable[str], sockets: Path) -> str:
    """An SSH configuration in which all that jump through a door share one connection to it. Pure.

    Else each host's jump is a login of its own at the door, and sshd turns away logins that come
    too fast (sshd_config(5), MaxStartups).
    """
    # Short names: a socket's path may have about a hundred bytes.
    blocks = [
        f"Host {word(door, 'a host')}\n    ControlMaster auto\n"
        f"    ControlPath {quoted(sockets / str(number))}\n\n"
        for number, door in enumerate(sorted(doors))
    ]
    return "".join(blocks) + text
