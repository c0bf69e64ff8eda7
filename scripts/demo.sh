#!/bin/sh
# The main job from nothing: the lab, one cluster, its hosts. `make demo`
set -eu
cd "$(dirname "$0")/.."

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

step bin/orchestrate lab up
step bin/orchestrate bootstrap
step bin/orchestrate apply cluster-us-west --yes
step bin/orchestrate hosts --wait 120

cat <<'NEXT'

The cluster stands. Try next:
  bin/orchestrate status                        every stack, and what is applied
  bin/orchestrate graph                         the fleet's networks, as text (--svg FILE draws it)
  bin/orchestrate ssh bastion.cluster-us-west   log in to a host
  bin/orchestrate plan --all                    what the other clusters would add
  bin/orchestrate destroy cluster-us-west       take it away again
  bin/orchestrate lab down                      stop the lab, leave nothing behind
NEXT
