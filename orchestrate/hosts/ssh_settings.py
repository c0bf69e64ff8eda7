"""The settings that both of our ways to hosts obey, as OpenSSH itself reads them.

`verify` and `orchestrate ssh` run OpenSSH, all else runs paramiko, whose own reading of
~/.ssh/config knows no Include, and of Match only half. So OpenSSH is asked (`ssh -G`), and
paramiko told. Nothing else counts for either: not /etc/ssh/ssh_config, nor what Fabric and Invoke
would read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrate import shell
from orchestrate.errors import OrchestrateError
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access, whole_config

GET_SSH = "install OpenSSH's client (Debian: apt-get install openssh-client)"
# A Match with `exec` runs a program of the operator's.
ASK_SECONDS = 20


class BadSettings(OrchestrateError):
    """The operator's SSH settings can't be read; no host is silent because of it."""


@dataclass(frozen=True)
class Settings:
    """How to get in to one host. `identities` are private keys, which need not exist; `agent` the
    socket of the one to ask, "" for that of SSH_AUTH_SOCK, None for none. With `alone` the agent
    may only offer the identities. `proxy` is a command to connect through, with ssh's tokens.
    """

    user: str
    port: int = 22
    identities: tuple[Path, ...] = ()
    alone: bool = False
    agent: str | None = ""
    proxy: str = ""


def of(host: Host, hosts: Mapping[str, Host], access: Access) -> Settings:
    """The settings for one of the hosts. Raises BadSettings, MissingTool without OpenSSH."""
    if access.identity:
        # With a key of our own, the operator's settings have no say.
        return Settings(host.user, identities=(access.identity,), alone=True, agent=None)
    config = whole_config(hosts.values(), access)
    return parse(ask(host.name, Path("/dev/stdin"), config), jumps=host.via is not None)


def ask(name: str, config: Path, text: str = "") -> str:
    """What OpenSSH makes of a configuration for one name; /dev/stdin is `text`. Raises as `of`."""
    argv = ["ssh", "-G", "-F", str(config), name]
    done = shell.run(argv, stdin=text, check=False, timeout_s=ASK_SECONDS, get_it=GET_SSH)
    if done.code:
        said = done.stderr.strip().splitlines() or ["ssh -G failed and said nothing"]
        raise BadSettings(
            f"your SSH settings can't be used: {'; '.join(said[:3])}",
            fix="correct them; `ssh -G localhost` reads the same and prints what it understood",
        )
    return done.stdout


def parse(told: str, *, jumps: bool) -> Settings:
    """The settings in what `ssh -G` printed; `jumps` if the way through a bastion is ours. Pure."""
    found: dict[str, list[str]] = {}
    for line in told.splitlines():
        key, _, value = line.partition(" ")
        found.setdefault(key, []).append(value)

    def last(key: str) -> str:
        value = found.get(key, [""])[0]
        return "" if value == "none" and key != "identityagent" else value

    jump = last("proxyjump")
    through = f"ssh -W [%h]:%p {_jump(jump.split(','))}" if jump else last("proxycommand")
    agent = last("identityagent")
    return Settings(
        user=last("user"),
        port=int(last("port") or 22),
        identities=tuple(Path(each).expanduser() for each in found.get("identityfile", [])),
        alone=last("identitiesonly") == "yes",
        agent=None if agent == "none" else "" if agent == "SSH_AUTH_SOCK" else agent,
        proxy="" if jumps else through,
    )


def _jump(hops: Sequence[str]) -> str:
    """OpenSSH's words for the last of some hops, reached through those before it."""
    *before, last = hops
    return f"-J {','.join(before)} {_destination(last)}" if before else _destination(last)


def _destination(hop: str) -> str:
    return hop if hop.startswith("ssh://") else f"ssh://{hop}"
