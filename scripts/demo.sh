#!/bin/sh
# The main job from nothing: the lab, images, one cluster, a site's racks. `make demo`
set -eu
CDPATH= cd "$(dirname "$0")/.."

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

step bin/orchestrate lab up
step bin/orchestrate bootstrap
if bin/orchestrate lab status --json | grep -q '"real_hosts": true'; then
  step bin/orchestrate bake base ssh-node
  step bin/orchestrate apply cluster-us-west --yes
  step bin/orchestrate converge site-sf
  step bin/orchestrate verify site-sf
else
  step bin/orchestrate apply cluster-us-west --yes
  step bin/orchestrate hosts
  printf '\nLeft out, as this lab has the AWS API alone: images, and all that happens on hosts.\n'
fi

cat <<'NEXT'

The cluster stands. Try next:
  bin/orchestrate status                        every stack, and what is applied
  bin/orchestrate graph                         the fleet's networks, as an outline (--open: a picture)
  bin/orchestrate ssh bastion.cluster-us-west   log in to a host
  bin/orchestrate images list                   what was baked, of what, and who uses it
  bin/orchestrate plan --all                    what the other clusters would add
  bin/orchestrate lab down                      stop the lab, leave nothing behind
NEXT
