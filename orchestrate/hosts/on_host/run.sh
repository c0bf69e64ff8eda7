# Converges this host to the configuration named $1, its node JSON given on stdin. Runs as root.
# $2 is the client's options ("" or --why-run), $3 is 1 where the stand-in may be taken, $4 says
# who runs this, for those who come second.
#
# stdout is the client's log. stderr, at the end, is for the caller: units that were in trouble
# before, those that are now, and the report. The log goes to a file as well, and a converge that
# has begun is finished, whoever listens: a lost connection leaves no half of one.
set -u
umask 077
home=/var/lib/orchestrate
configuration=$home/configuration/$1
# None of the client's codes.
NOT_SHIPPED=76
BUSY=75

troubled() {
    # A unit that systemd restarts again and again never shows as failed for long.
    systemctl list-units --state=failed,auto-restart --plain --no-legend --no-pager 2>/dev/null |
        cut -d ' ' -f 1 | tr '\n' ' '
}
report() {
    stat --format '%i %.Y' "$home/report.json" 2>/dev/null
}

cd "$configuration" 2>/dev/null && sha256sum --check --status "$configuration.sha256" 2>/dev/null ||
    exit $NOT_SHIPPED

# Held for the whole run: node.json must stay ours until the client has noted what it converged to.
exec 9>>"$home/run.lock" || exit 1
if ! flock --nonblock 9; then
    echo "busy: $(cat "$home/run.lock")" >&2
    exit $BUSY
fi
echo "$4, since $(date +%H:%M:%S)" >"$home/run.lock"

node=$home/node.json
{ cat >"$node.new" && mv "$node.new" "$node"; } || exit 1
before=$(troubled)
last=$(report)
{
    ORCHESTRATE_STAND_IN="$3" sh "$configuration/client/converge.sh" $2 2>&1 </dev/null 9>&-
    echo $? >"$home/run.code"
} | tee --ignore-interrupts --output-error=warn-nopipe "$home/converge.log" 9>&-
code=$(cat "$home/run.code")
{
    echo "troubled before: $before"
    echo "troubled now: $(troubled)"
    if [ "$(report)" != "$last" ]; then
        cat "$home/report.json"
    fi
} >&2
exit "${code:-1}"
