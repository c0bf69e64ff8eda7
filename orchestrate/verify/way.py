"""How OpenSSH reaches the hosts to verify: asking nobody, through doors that stay open. Pure."""

from collections.abc import Iterable

from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access, whole_config

# LogLevel: a host's login banner, and "permanently added", are no errors. The others are what an
# operator may have set for sessions of his own: a tmux on each host, a tunnel, its key drawn.
QUIET = """
Host *
    BatchMode yes
    LogLevel ERROR
    RequestTTY no
    RemoteCommand none
    PermitLocalCommand no
    ClearAllForwardings yes
    ControlMaster no
    ControlPath none
    VisualHostKey no
"""


def config(hosts: Iterable[Host], access: Access) -> str:
    """The configuration for hosts and the doors they are reached through."""
    return whole_config(hosts, access, QUIET)
