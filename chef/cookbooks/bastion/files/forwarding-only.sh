#!/bin/sh
# What people get here instead of a shell. Managed by orchestrate.
echo "$(hostname) forwards connections and runs nothing for you." >&2
echo "Hop through it to a host:  ssh -J $(id -un)@BASTION HOST    (orchestrate ssh HOST does so)" >&2
exit 1
