"""How OpenSSH reaches the hosts to verify: asking nobody, through doors that stay open. Pure."""

from collections.abc import Iterable

from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access, ssh_config

# LogLevel: a host's login banner, and "permanently added", are no errors.
QUIET = "\nHost *\n    BatchMode yes\n    LogLevel ERROR\n"
OPERATORS_OWN = "    Include ~/.ssh/config\n"


def config(hosts: Iterable[Host], access: Access) -> str:
    """The configuration for hosts and the doors they are reached through."""
    return ssh_config(hosts, access) + QUIET + ("" if access.identity else OPERATORS_OWN)
