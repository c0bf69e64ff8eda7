#!/bin/sh
# Renews the Pipfile.lock of a folder: scripts/lock.sh FOLDER
# The lock names no package index, so that on every machine pip's own configuration decides.
set -eu
scripts=$(CDPATH= cd "$(dirname "$0")" && pwd)
pipenv=$("$scripts/pipenv.sh")
cd "$1"
VIRTUAL_ENV=$pipenv PIPENV_VERBOSITY=-1 PIPENV_NOSPIN=1 \
  "$pipenv/bin/pipenv" lock --clear --categories "packages dev-packages engine" </dev/null
"$pipenv/bin/python" - <<'PYTHON'
import json
import pathlib

path = pathlib.Path("Pipfile.lock")
lock = json.loads(path.read_text())
lock["_meta"]["sources"] = []
for category, packages in lock.items():
    if category != "_meta":
        for package in packages.values():
            package.pop("index", None)
path.write_text(json.dumps(lock, indent=4, sort_keys=True) + "\n")
PYTHON
