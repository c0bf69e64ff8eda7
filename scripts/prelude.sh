# Read by bin/orchestrate and the scripts here: `. prelude.sh`. Sets $cache, the folder outside any checkout
# where environments, providers and images are kept.
#
# Whatever fails before the command itself runs ends with 1. The shell's own codes would be taken for
# answers: 2, which an unset variable ends with, means `plan` found changes.
trap '[ $? = 0 ] || exit 1' EXIT

cache=${ORCHESTRATE_CACHE:-}
if [ -z "$cache" ]; then
  cache=${XDG_CACHE_HOME:-}
  # Where HOME is not set (cron, systemd, containers), the account's home is.
  [ -n "$cache" ] || cache=${HOME:-$(getent passwd "$(id -u)" | cut -d : -f 6)}/.cache
  cache=$cache/orchestrate
fi
case $cache in
/.cache/*)
  echo "orchestrate: there is no home folder to keep things in; set HOME or ORCHESTRATE_CACHE" >&2
  exit 1
  ;;
esac
