# Whether this host is in order, after its boot has ended: units in trouble, a line.
# Waits no longer than $1 seconds for the boot. Needs no root.
state=$(timeout "$1" systemctl is-system-running --wait 2>&1)
echo "system: $state"
echo "troubled now: $(
    systemctl list-units --state=failed,auto-restart --plain --no-legend --no-pager |
        cut -d ' ' -f 1 | tr '\n' ' '
)"
