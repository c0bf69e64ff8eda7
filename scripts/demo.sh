#!/bin/sh
# The main job from nothing: the lab, one cluster, its hosts. `make demo`
set -eu
cd "$(dirname "$0")/.."

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

step bin/orchestrate lab up
step bin/orchestrate bootstrap
step bin/orchestrate apply cluster-us-west --yes
if bin/orchestrate lab status --json | grep -q '"real_hosts": true'; then
  step bin/orchestrate hosts --wait 120
else
  step bin/orchestrate hosts
  printf '\nLeft out, as this lab has the AWS API alone: logging in to the hosts.\n'
fi

cat <<'NEXT'

The cluster stands. Try next:
  bin/orchestrate status                        every stack, and what is applied
  bin/orchestrate graph                         the fleet's networks, as an outline (--open: a picture)
  bin/orchestrate ssh bastion.cluster-us-west   log in to a host
  bin/orchestrate plan --all                    what the other clusters would add
  bin/orchestrate lab down                      stop the lab, leave nothing behind
NEXT
