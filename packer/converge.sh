#!/bin/sh
# Converges the instance that becomes an image, with what was put beside it in /tmp. As root.
# DIGEST is the archive's; ORCHESTRATE_STAND_IN=1 allows the lab's stand-in for Chef.
set -eu

home=/var/lib/orchestrate
configuration=$home/configuration/$DIGEST

# First boot may still be installing; two of apt at once do not go together.
if command -v cloud-init >/dev/null && [ -d /run/cloud-init ]; then
    cloud-init status --wait >/dev/null || true
fi

install -d -m 0755 "$home" "$home/configuration"
rm -rf "$configuration.new" "$configuration"
install -d -m 0755 "$configuration.new"
tar -xzf /tmp/orchestrate-archive.tar.gz -C "$configuration.new" --no-same-owner
mv "$configuration.new" "$configuration"
install -m 0600 /tmp/orchestrate-node.json "$home/node.json"
rm -f /tmp/orchestrate-archive.tar.gz /tmp/orchestrate-node.json

exec sh "$configuration/client/converge.sh"
