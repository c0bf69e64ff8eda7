#!/bin/sh
# mount-scratch PATH DISK...: one file system on all the disks, mounted; made anew where they are
# blank, as after a stop. A disk that holds anything else is never touched.
# Managed by orchestrate.
set -eu

path=$1
shift

mount_it() {
  mount -o noatime,nodev,nosuid "$1" "$path"
  chmod 1777 "$path"
}

# A reboot, unlike a stop, leaves what was there.
if made=$(blkid -L scratch); then
  fsck.ext4 -y "$made" >/dev/null || [ $? -lt 4 ]
  mount_it "$made"
  exit 0
fi

# Links by id lead to partitions too, and several of them to one disk.
disks=$(for link in "$@"; do
  device=$(readlink -e "$link") || continue
  case $(lsblk -ndo TYPE "$device") in disk | loop) echo "$device" ;; esac
done | sort -u)
[ -n "$disks" ] || {
  echo "no disks: $*" >&2
  exit 1
}
for device in $disks; do
  [ -z "$(wipefs --no-act "$device")" ] || {
    echo "$device is not blank, and isn't scratch space: nothing is changed" >&2
    exit 1
  }
done

# shellcheck disable=SC2086 # a list of words
set -- $disks
if [ $# -gt 1 ]; then
  mdadm --create /dev/md/scratch --run --level=0 --raid-devices=$# "$@"
  set -- /dev/md/scratch
fi
# No journal and no reserve: nothing here is worth them.
mkfs.ext4 -q -m 0 -O ^has_journal -L scratch "$1"
mount_it "$1"
