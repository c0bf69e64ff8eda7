# Unpacks an archive, given on stdin, as the configuration named $1. Runs as root.
#
# A folder gets its name only when it is whole, and its checksums beside it tell later whether it
# still is. The last three are kept: another run may be at work in one of them.
set -eu
umask 022
all=/var/lib/orchestrate/configuration
mkdir -p "$all"
fresh=$(mktemp -d "$all/.new.XXXXXX")
trap 'rm -rf "$fresh" "$fresh.sha256"' EXIT
tar --extract --gzip --no-same-owner --directory "$fresh"
chmod 755 "$fresh"
(cd "$fresh" && find . -type f -exec sha256sum {} +) >"$fresh.sha256"
rm -rf "${all:?}/$1"
mv "$fresh" "$all/$1"
mv "$fresh.sha256" "$all/$1.sha256"
find "$all" -mindepth 1 -maxdepth 1 -name '.new.*' -mmin +60 -exec rm -rf {} +
ls -1dt "$all"/*/ | tail -n +4 | while read -r old; do
    rm -rf "${old%/}" "${old%/}.sha256"
done
