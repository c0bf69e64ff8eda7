#!/bin/sh
# Installs Cinc, the free distribution of Chef Infra Client, at one version: what hosts on AWS and at the
# sites converge with. Runs as root.
#
# The checksums are those of the packages on downloads.cinc.sh, taken from what others have pinned in
# public repositories; a package that differs is not installed. To move to another version, take all
# six anew from https://omnitruck.cinc.sh/stable/cinc/metadata?v=VERSION&p=debian&pv=12&m=x86_64.
set -eu
VERSION=18.6.2

checksum() {
  case $1 in
    debian-12-amd64) echo 311f3f9c19db7d62c9e7a151398853db8d0994e0aeac96189530ee5eb972eb6c ;;
    debian-12-arm64) echo d3a9190edba47a6946cecd2af010f7c98da02bb56d2a540a93462eb642de8c7f ;;
    ubuntu-22.04-amd64) echo 043c2cb693d1b6038a3341b471efdb5726d7b08c55f4835a1fb59a6a7f1fba21 ;;
    ubuntu-22.04-arm64) echo a7404177b1bca4eae8b6e79992e6c68606d0da545604635a074cc52ab42dce24 ;;
    ubuntu-24.04-amd64) echo 48d4e2f5a5befd6a18a90c7dc05aa038a5032825b048e5614dec0e0e83eca42c ;;
    ubuntu-24.04-arm64) echo f36a1b948f0a3559a7eb4ee60c5512586a961c315f135f281faa7f15623ba560 ;;
    *) return 1 ;;
  esac
}

# Images bring one or the other, and at least Python, for cloud-init.
fetch() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 5 --retry-connrefused --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --quiet --tries=5 --output-document="$2" "$1"
  else
    python3 -c 'import sys, urllib.request as r; r.urlretrieve(*sys.argv[1:])' "$1" "$2"
  fi
}

. /etc/os-release
architecture=$(dpkg --print-architecture)
host=$ID-$VERSION_ID-$architecture
expected=$(checksum "$host") || {
  echo "install.sh: no Cinc is known for $host: Debian 12, Ubuntu 22.04 and 24.04 on amd64 and arm64 are" >&2
  exit 1
}
url=https://downloads.cinc.sh/files/stable/cinc/$VERSION/$ID/$VERSION_ID/cinc_$VERSION-1_$architecture.deb

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
package=$folder/cinc.deb
echo "installing Cinc $VERSION from $url"
fetch "$url" "$package" || { echo "install.sh: could not fetch $url" >&2; exit 1; }
found=$(sha256sum "$package" | cut -d ' ' -f 1)
[ "$found" = "$expected" ] || {
  echo "install.sh: $url is not what it was: its SHA-256 is $found, not $expected" >&2
  exit 1
}
dpkg --install "$package"
