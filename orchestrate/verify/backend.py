"""testinfra's way to our hosts: `node://NAME`, over one root shell per host."""

from pathlib import Path
from typing import Any, ClassVar

import testinfra.backend
from testinfra.backend.base import BaseBackend, CommandResult

from orchestrate.verify.root_shell import Gone, RootShell

SCHEME = "node"
# Of a long output the end is shown, where programs say what went wrong.
SHOWN_LINES = 30


class NodeBackend(BaseBackend):  # type: ignore[misc]  # testinfra's types are not exported
    """Commands run as root. Backends of the same host share its shell."""

    NAME = SCHEME
    ssh_config: ClassVar[Path]
    _shells: ClassVar[dict[str, RootShell]] = {}
    _gone: ClassVar[dict[str, str]] = {}
    _heard: ClassVar[list[str]] = []

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(name, *args, **kwargs)
        # All hosts of ours; asking each would cost a command.
        self._encoding = "utf-8"

    def run(self, command: str, *args: str, **kwargs: Any) -> CommandResult:
        words = self.get_command(command, *args)
        try:
            answer = self.shell(self.hostname).run(words)
        except TimeoutError:
            self._shells.pop(self.hostname).close()
            raise TimeoutError(f"`{words}` did not end on {self.hostname}") from None
        except Gone as gone:
            self._shells.pop(self.hostname, None)
            self._gone[self.hostname] = str(gone)
            raise
        result = self.result(answer.code, words.encode(), answer.stdout, answer.stderr)
        self._heard.append(transcript(words, answer.code, result.stdout, result.stderr))
        return result

    def decode(self, data: bytes) -> str:
        return data.decode(errors="replace")

    @classmethod
    def shell(cls, name: str) -> RootShell:
        """The host's shell, opened if it isn't. Raises Gone."""
        if name not in cls._shells:
            cls._shells[name] = RootShell.open(cls.ssh_config, name)
        return cls._shells[name]

    @classmethod
    def gone(cls, name: str) -> str:
        """Why a host's connection ended by itself; "" if it did not."""
        return cls._gone.get(name, "")

    @classmethod
    def close_all(cls) -> None:
        """End every connection, whatever runs there."""
        while cls._shells:
            cls._shells.popitem()[1].close()

    @classmethod
    def heard(cls) -> list[str]:
        """What was run, with the output, since this list was last cleared."""
        return cls._heard


def register(ssh_config: Path) -> None:
    """Make testinfra know `node://`, with hosts found in an OpenSSH configuration."""
    testinfra.backend.BACKENDS[SCHEME] = f"{__name__}.{NodeBackend.__name__}"
    NodeBackend.ssh_config = ssh_config


def transcript(command: str, code: int, stdout: str, stderr: str) -> str:
    """A command and its output as a terminal shows them. Pure."""
    lines = [*stdout.splitlines(), *stderr.splitlines()]
    left_out = len(lines) - SHOWN_LINES
    if left_out > 0:
        lines = [f"… {left_out} lines before", *lines[-SHOWN_LINES:]]
    status = [f"[exit code {code}]"] if code else []
    return "\n".join([f"# {command}", *lines, *status])
