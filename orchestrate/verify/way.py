"""How OpenSSH reaches the hosts to verify: asking nobody, through doors that stay open. Pure."""

from collections.abc import Iterable
from pathlib import Path

from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access, ssh_config

# LogLevel: a host's login banner, and "permanently added", are no errors.
QUIET = "\nHost *\n    BatchMode yes\n    LogLevel ERROR\n"
OPERATORS_OWN = "    Include ~/.ssh/config\n"


def config(hosts: Iterable[Host], access: Access) -> str:
    """The configuration for hosts and the doors they are reached through."""
    return ssh_config(hosts, access) + QUIET + ("" if access.identity else OPERATORS_OWN)


def through_open_doors(text: str, doors: Iterable[str], sockets: Path) -> str:
    """The same, but one connection to each door is shared by all that jump through it.

    Else each host's jump is a login of its own at the door, and sshd turns away logins that come
    too fast (sshd_config(5), MaxStartups).
    """
    names = " ".join(sorted(doors))
    if not names:
        return text
    shared = f"Host {names}\n    ControlMaster auto\n    ControlPath {sockets}/%C\n"
    return f"{shared}\n{text}"


def reason(said: str) -> str:
    """Why SSH failed, in a line, from what it said; the last line is the one that counts."""
    # ssh(1) behind a shared door: the connection that knows more belongs to the door.
    if "kex_exchange_identification: Connection closed" in said:
        return "it did not take the connection"
    if "HOST IDENTIFICATION HAS CHANGED" in said or "Host key verification failed" in said:
        return "the host shows another key than before; it may not be the same machine"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].removeprefix("ssh: ") if lines else "the connection was closed"
