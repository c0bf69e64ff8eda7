#!/bin/sh
# Makes an empty virtual environment of Python 3.11, in place of whatever is there: venv.sh FOLDER
set -eu

find_python() {
  for candidate in python3.11 python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "setup: Python 3.11 is needed and not on PATH; Debian 12 has it: apt-get install python3" >&2
  return 1
}

python=$(find_python)
rm -rf "$1"
if ! "$python" -m venv "$1" >&2; then
  rm -rf "$1"
  echo "setup: no virtual environment can be made; install python3-venv, or run with sudo" >&2
  exit 1
fi
