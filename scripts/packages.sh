#!/bin/sh
# Installs the Debian packages that are missing, and nothing else: packages.sh [MORE...]
# Run as root, or where sudo asks for no password. Where that is not possible it says what is left
# out and ends well: the Python environment says itself when it cannot be built, and the lab goes on
# with its API alone.
set -eu

environment="python3-venv"
# To check cookbooks and what runs them, and to run them in tests.
chef="ohai rubocop ruby ruby-erubis ruby-iniparse"
lab="iproute2 mmdebstrap nftables openssh-client packer procps systemd-container tcpdump"

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=""
for package in $environment $chef $lab "$@"; do
  installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "setup: left out, no apt-get here:$missing"
  exit 0
fi
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif sudo -n true 2>/dev/null; then
  as_root="sudo -n"
else
  echo "setup: left out, installing needs root (run it with sudo):$missing"
  exit 0
fi

echo "setup: installing Debian packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  # shellcheck disable=SC2086 # both are lists of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    $missing >"$log" 2>&1 </dev/null
}
# A fresh machine has no package lists, an old one has lists of versions that are gone.
if ! install; then
  $as_root apt-get update -q >"$log" 2>&1 </dev/null && install || {
    tail -n 5 "$log" >&2
    echo "setup: left out, apt-get failed (above):$missing"
  }
fi
