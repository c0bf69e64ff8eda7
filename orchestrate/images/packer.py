"""Finds Packer and runs it: one image from start to AMI, with its log on disk."""

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrate import shell
from orchestrate.environment import packer_alone
from orchestrate.errors import CommandFailed, Interrupted, MissingTool, OrchestrateError
from orchestrate.images.packer_output import Artifact, Line, parse
from orchestrate.shell import Stop

# HCL2 templates with `build.Host`, and the JSON files of variables that go with them.
MINIMUM = (1, 6, 0)
# Builders became plugins, which a template asks for by version.
PLUGINS_SINCE = (1, 7, 0)
VARIABLE = "ORCHESTRATE_PACKER"
HOW_TO_GET_IT = (
    f"install Packer {MINIMUM[0]}.{MINIMUM[1]} or newer (`apt-get install packer`, or "
    f"developer.hashicorp.com/packer/install), or name one with ${VARIABLE}"
)

Version = tuple[int, int, int]


@dataclass(frozen=True)
class Packer:
    """A Packer that can be run."""

    path: str
    version: Version

    @property
    def has_plugins(self) -> bool:
        return self.version >= PLUGINS_SINCE

    def __str__(self) -> str:
        return f"Packer {'.'.join(map(str, self.version))} ({self.path})"


def find(environment: Mapping[str, str]) -> Packer:
    """The Packer to use. Raises MissingTool, naming how to get one."""
    path = environment.get(VARIABLE) or shutil.which("packer", path=environment.get("PATH"))
    if not path:
        raise MissingTool("Packer is not installed", fix=HOW_TO_GET_IT)
    quiet = packer_alone(environment)
    said = shell.run([path, "version"], env=quiet, timeout_s=60, get_it=HOW_TO_GET_IT).stdout
    version = parse_version(said)
    if version is None:
        # Red Hat's cracklib has a `packer` too, which waits for words to pack.
        raise MissingTool("this is not HashiCorp's Packer", where=path, fix=HOW_TO_GET_IT)
    if version < MINIMUM:
        raise MissingTool(f"{Packer(path, version)} is too old", fix=HOW_TO_GET_IT)
    return Packer(path, version)


def parse_version(text: str) -> Version | None:
    """The version in what `packer version` prints. Pure."""
    found = re.search(r"^Packer v(\d+)\.(\d+)\.(\d+)", text, re.MULTILINE)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def build(
    packer: Packer,
    folder: Path,
    output: Path,
    *,
    env: Mapping[str, str],
    stop: Stop,
    on_start: Callable[[int], None],
    on_line: Callable[[Line], None],
) -> str:
    """Build the template in `folder`; the AMI's id. What Packer prints goes to `output`.

    `on_start` is told the process's number. Raises Interrupted when `stop` was requested: Packer
    then has terminated its instance; and CommandFailed with the build's last lines.
    """
    if packer.has_plugins:
        init = [packer.path, "init", str(folder)]
        shell.run(init, env=env, timeout_s=600)
    argv = [packer.path, "build", "-machine-readable", "-color=false", "-on-error=cleanup", "."]
    running = shell.start(argv, output, stop=stop, cwd=folder, env=env, family=True)
    on_start(running.pid)
    artifacts, said = [], []
    for line in map(parse, running.lines()):
        if isinstance(line, Artifact):
            artifacts.append(line)
        elif line:
            said.append(line)
            on_line(line)
    code = running.wait()
    if stop.requested:
        raise Interrupted("interrupted; its instance was terminated", where=folder.name)
    if code:
        raise CommandFailed(argv, shell.ended(code), why(said))
    return _ami(artifacts, output)


def why(said: list[Line]) -> str:
    """What went wrong: the first error, as later ones repeat it, and what was said before. Pure."""
    first = next((n for n, line in enumerate(said) if line.kind == "error"), len(said))
    told = said[max(0, first - shell.TAIL_LINES) : first + 1]
    return "\n".join(line.text for line in told)


def _ami(artifacts: list[Artifact], output: Path) -> str:
    ids = [one.ami for one in artifacts]
    if len(ids) != 1:
        raise OrchestrateError(f"Packer made {len(ids)} AMIs, not one", where=str(output))
    return ids[0]
