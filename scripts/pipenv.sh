#!/bin/sh
# Installs pipenv, pinned by hash, into an environment of its own, once; prints that folder.
set -eu
scripts=$(CDPATH= cd "$(dirname "$0")" && pwd)
. "$scripts/prelude.sh"
environment=$cache/pipenv-$(sha256sum "$scripts/pipenv.txt" | cut -c1-12)

if [ ! -e "$environment/.complete" ]; then
  mkdir -p "$cache"
  exec 8>"$cache/pipenv.lock"
  flock 8
fi
if [ ! -e "$environment/.complete" ]; then
  echo "setup: installing pipenv" >&2
  "$scripts/venv.sh" "$environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    --require-hashes -r "$scripts/pipenv.txt" >&2 </dev/null
  touch "$environment/.complete"
fi
echo "$environment"
