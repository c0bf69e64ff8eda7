#!/bin/sh
# Everything this repository needs on a machine, installed only where it is missing: `make setup`.
set -eu
scripts=$(CDPATH= cd "$(dirname "$0")" && pwd)
. "$scripts/prelude.sh"

"$scripts/packages.sh"
environment=$("$scripts/environment.sh")

say_engine() { PYTHONPATH=$scripts/.. "$environment/bin/python" "$scripts/engine.py" "$cache"; }

# 3 stands for "no engine at all". What else may be missing, say a provider, is reported by the
# commands that need it: formatting and unit tests go on without.
status=0
say_engine || status=$?
if [ "$status" = 3 ]; then
  "$scripts/environment.sh" --engine >/dev/null
  say_engine || true
fi
