#!/bin/sh
# Takes away what belongs to this one instance, so that every host of the image becomes its own.
# As root, the last thing before the image is made. LOGIN is the image's own login.
set -eu

# Users of the fleet keep their keys; these two get theirs anew at each first boot.
for login in root "$LOGIN"; do
    home=$(getent passwd "$login" | cut -d: -f6)
    rm -f "$home/.ssh/authorized_keys" "/etc/ssh/authorized_keys.d/$login" "$home/.bash_history"
done
rm -f /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub

if command -v cloud-init >/dev/null; then
    cloud-init clean --logs
fi
# Empty, not missing: systemd then makes a new one without taking it for a first installation.
: >/etc/machine-id
rm -f /var/lib/dbus/machine-id /var/lib/systemd/random-seed
rm -rf /var/lib/dhcp/*.leases /run/systemd/netif/leases/*

# The lists stay: without them a host's first package would need an update before it.
apt-get clean
rm -f /var/cache/apt/pkgcache.bin /var/cache/apt/srcpkgcache.bin

rm -rf /var/lib/orchestrate/report.json /var/lib/orchestrate/cache
find /tmp /var/tmp -mindepth 1 ! -path "$0" -delete 2>/dev/null || true
if command -v journalctl >/dev/null; then
    journalctl --quiet --rotate --vacuum-time=1s || true
fi
find /var/log -type f -exec truncate --size 0 {} +
sync
