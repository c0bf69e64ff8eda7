"""Every error a user may see, as one tree.

    OrchestrateError            exit code 1
    ├── InvalidInput            findings in files the user wrote; all of them at once
    ├── MissingTool             a program or provider is not installed
    ├── CommandFailed           a program we ran failed, or took too long
    ├── AwsError                the AWS API refused, or could not be reached
    ├── TerraformError          a terraform command failed
    ├── StateLocked             somebody else holds a stack's state
    ├── StalePlan               a saved plan no longer fits the state
    ├── NotConfirmed            the operator said no
    ├── LabError                the lab is not running, or cannot
    └── Interrupted             Ctrl-C; exit code 130

An error says what happened, where, and what to do next. Only `cli/main.py` turns one into
an exit code.
"""

import shlex
from collections.abc import Sequence
from textwrap import indent

from orchestrate.findings import Finding
from orchestrate.plain_text import visible_lines


class OrchestrateError(Exception):
    """Something the user can act on.

    `what` is one sentence; `where` names a file:line, resource or stack; `fix` is the next step.
    What can't be seen in them is spelled out.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        # Much of it is quoted from AWS, hosts and files, and ends up on a terminal.
        self.what, self.where, self.fix = map(visible_lines, (what, where, fix))
        super().__init__(self.what)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        step = f"\n  next: {self.fix}" if self.fix else ""
        return f"{place}{self.what}{step}"


class InvalidInput(OrchestrateError):
    """Files the user wrote are wrong. Carries every finding, not just the first."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(sorted(findings))
        count = len(self.findings)
        super().__init__(f"{count} finding{'s' if count != 1 else ''}")

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings)


class MissingTool(OrchestrateError):
    """A program or a Terraform provider that is needed here is not installed."""


class CommandFailed(OrchestrateError):
    """A program we ran failed. Says which, how it ended, and its last lines."""

    def __init__(self, argv: Sequence[str], problem: str, last_lines: str = "") -> None:
        self.argv = tuple(argv)
        self.last_lines = last_lines
        said = indent(f"\n{last_lines}", "    ") if last_lines else ""
        super().__init__(f"`{shlex.join(self.argv)}` {problem}{said}")


class AwsError(OrchestrateError):
    """The AWS API refused a call, or could not be reached.

    `code` is AWS's own error code, e.g. `NoSuchKey`; "" if AWS did not answer.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "", code: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.code = code


class TerraformError(OrchestrateError):
    """A terraform command failed. `where` names the stack, `fix` the log file."""


class StateLocked(TerraformError):
    """Somebody else holds the lock of a stack's state: `who` since `created` (RFC 3339)."""

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        fix: str = "",
        lock_id: str = "",
        who: str = "",
        created: str = "",
    ) -> None:
        super().__init__(what, where=where, fix=fix)
        self.lock_id = lock_id
        self.who = who
        self.created = created


class StalePlan(OrchestrateError):
    """A saved plan was made from a state that has moved on since."""


class NotConfirmed(OrchestrateError):
    """The operator did not confirm; nothing was changed."""


class LabError(OrchestrateError):
    """The lab is not running, or cannot run here."""


class Interrupted(OrchestrateError):
    """Ctrl-C. By convention a program ended by SIGINT exits with 128 + 2.

    `half_made` are the addresses of resources that Terraform was still waiting for.
    """

    exit_code = 130

    def __init__(
        self, what: str, *, where: str = "", fix: str = "", half_made: Sequence[str] = ()
    ) -> None:
        super().__init__(what, where=where, fix=fix)
        self.half_made = tuple(half_made)
