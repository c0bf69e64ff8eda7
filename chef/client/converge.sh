#!/bin/sh
# Converges this host to the configuration that this file is part of: converge.sh [--why-run]
#
# Runs as root; the node's JSON is /var/lib/orchestrate/node.json. stdout is the client's log, the exit
# code the client's, 75 while another converge is at work here. Whatever happens, report.json says
# afterwards what was done or why not; converged.json is there only after a real converge that went well.
#
# The client is $ORCHESTRATE_CHEF_COMMAND, else Cinc or Chef where it is installed; else, where
# ORCHESTRATE_STAND_IN=1 (a lab), the stand-in beside this folder; else Cinc, installed now.
set -u
umask 077

configuration=$(cd "$(dirname "$0")/.." && pwd) || exit 1
state=${ORCHESTRATE_STATE:-/var/lib/orchestrate}
export ORCHESTRATE_STATE="$state" ORCHESTRATE_CONFIGURATION="$configuration"
# Chef asks neither for its licence nor reports home; Cinc does neither anyway.
export CHEF_LICENSE=accept-no-persist CHEF_TELEMETRY_OPT_OUT=1
# Log collectors and this file read what programs say.
export LC_ALL=C.UTF-8
BUSY=75
# Kept free for the report of a host whose disk is full.
RESERVE_BYTES=262144

why_run=
for option; do
  case $option in
    --why-run) why_run=--why-run ;;
    *) echo "converge.sh: what is '$option'? There is only --why-run" >&2; exit 64 ;;
  esac
done

found() {
  for place in "$(command -v "$1")" "/opt/cinc/bin/$1" "/opt/chef/bin/$1"; do
    [ -x "$place" ] && echo "$place" && return 0
  done
  return 1
}

choose_client() {
  client=${ORCHESTRATE_CHEF_COMMAND:-}
  [ -n "$client" ] || client=$(found cinc-client) || client=$(found chef-client) || client=
  [ -z "$client" ] || return 0
  client=$configuration/stand-in/bin/stand-in
  [ "${ORCHESTRATE_STAND_IN:-}" = 1 ] && [ -x "$client" ] && return 0
  sh "$configuration/client/install.sh" || return 1
  client=$(found cinc-client)
}

# The first of the folders written to that has no room left, or fails otherwise.
full_disk() {
  for folder in "$state" /tmp /var /; do
    left=$(df -P -k "$folder" 2>/dev/null | awk 'NR == 2 { print $4 }')
    [ "${left:-1}" -lt 64 ] && echo "No space left on device: $folder has $left kB" && return 0
  done
  return 1
}

# For a client that ended without one: why, as far as it can be told from here. $1 has no quotes in it.
write_report() {
  rm -f "$state/reserve" "$state/report.json.new"
  printf '{"client": "%s", "why_run": %s, "resources": 0, "updated": [], "seconds": 0, ' \
    "${client##*/}" "$([ -n "$why_run" ] && echo true || echo false)" >"$state/report.json.new"
  printf '"failed": {"resource": null, "where": null, "error": "%s"}}\n' "$1" >>"$state/report.json.new"
}

fail() {
  why=$(full_disk) || why=$1
  echo "converge.sh: $why" >&2
  write_report "$why" && mv "$state/report.json.new" "$state/report.json"
  exit "$2"
}

[ "$(id -u)" = 0 ] || [ "$state" != /var/lib/orchestrate ] || { echo "converge.sh: only root can converge a host" >&2; exit 77; }
client=
mkdir -p "$state" || exit 1
# Readable to no one else only where it holds what is nobody else's business: the files, not the folder.
chmod 755 "$state"
exec 9>>"$state/converge.lock" || exit 1
if ! flock --nonblock 9; then
  echo "converge.sh: another converge is at work on this host: $(cat "$state/converge.lock")" >&2
  exit $BUSY
fi
echo "process $$ of ${SUDO_USER:-root}, since $(date +%H:%M:%S)" >"$state/converge.lock"

rm -f "$state/report.json.new" "$state/converged.json.new"
[ -s "$state/reserve" ] || head -c "$RESERVE_BYTES" /dev/zero >"$state/reserve" || fail "cannot write to $state" 1
[ -s "$state/node.json" ] || fail "there is no $state/node.json to converge to" 66
choose_client || fail "there is no Cinc or Chef on this host, and it could not be installed" 69
# Chef keeps a node's attributes for the next run, where what was taken out of node.json would live on.
rm -rf "$state/nodes"
# From here on the host may be neither what it was nor what it shall be.
[ -n "$why_run" ] || rm -f "$state/converged.json"

"$client" --local-mode --config "$configuration/client/client.rb" --json-attributes "$state/node.json" \
  --format doc --force-formatter --no-color --log_level warn $why_run </dev/null 9>&-
code=$?

if [ ! -s "$state/report.json.new" ]; then
  # A client that died, or one whose report did not fit.
  [ $code -ne 0 ] || code=1
  fail "the client ended with code $code and no report, its log says why" $code
fi
mv "$state/report.json.new" "$state/report.json"
if [ $code -eq 0 ]; then
  [ -n "$why_run" ] || mv "$state/converged.json.new" "$state/converged.json" || exit 1
elif why=$(full_disk); then
  echo "converge.sh: $why" >&2
fi
exit $code
