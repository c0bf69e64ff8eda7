#!/bin/sh
# Installs Cinc, the free distribution of Chef Infra Client, at one version: what hosts on AWS and at the
# sites converge with. Runs as root.
#
# cinc.sha256, beside this file, lists the packages on downloads.cinc.sh that may be installed: version,
# system and architecture are in their paths. The checksums are taken from what others have pinned in
# public repositories; a package that differs is not installed. To move to another version, take all
# six anew from https://omnitruck.cinc.sh/stable/cinc/metadata?v=VERSION&p=debian&pv=12&m=x86_64.
set -eu
site=https://downloads.cinc.sh/files/stable/cinc
list=$(dirname "$0")/cinc.sha256

# Images bring one or the other, and at least Python, for cloud-init. A server that answers with an
# error is no success for any of them.
fetch() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 5 --retry-connrefused --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --no-verbose --tries=5 --output-document="$2" "$1"
  else
    python3 -c 'import sys, urllib.request as r; r.urlretrieve(*sys.argv[1:])' "$1" "$2"
  fi
}

# In a shell of its own: os-release sets a dozen variables, VERSION and NAME among them.
system=$(. /etc/os-release && echo "$ID/${VERSION_ID:-none}")
architecture=$(dpkg --print-architecture)
known=$(grep "/$system/[^/]*_$architecture\.deb\$" "$list") || {
  echo "install.sh: no Cinc is known for $system on $architecture; cinc.sha256 has:" >&2
  sed 's/^[^ ]*  /  /' "$list" >&2
  exit 1
}
expected=${known%% *}
url=$site/${known##* }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
package=$folder/cinc.deb
echo "installing Cinc from $url"
fetch "$url" "$package" || { echo "install.sh: could not fetch $url" >&2; exit 1; }
found=$(sha256sum "$package" | cut -d ' ' -f 1)
[ "$found" = "$expected" ] || {
  echo "install.sh: $url is not what it was: its SHA-256 is $found, not $expected" >&2
  exit 1
}
# apt, unlike dpkg, waits for whoever installs something: a fresh host its security updates.
DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 install "$package"
