#!/bin/sh
# Compares the lab's stand-in with real Chef: every role's cookbooks under both, on two fresh lab hosts
# each, and then files, owners, modes, packages, accounts and services. Prints what differs.
#
# $ORCHESTRATE_CHEF is the real client: a folder with bin/cinc-client or bin/chef-client, which is
# brought to the hosts as /opt/chef, or a command that the hosts have. A folder may name Debian packages
# that it needs in a file `debian-packages`.
set -eu

if [ -z "${ORCHESTRATE_CHEF:-}" ]; then
  echo "chef-parity: left out, ORCHESTRATE_CHEF names no real client (a folder or a command)"
  exit 0
fi
exec "$1/pytest" -n0 -q -m parity tests/lab/test_chef_parity.py
