#!/bin/sh
# Stands in for a terraform that works until the file `finish` appears, interrupted or not; once
# interrupted it fails. It holds a lock meanwhile, and counts its SIGINTs in the file `sigints`.
case "$1" in
version) echo "Terraform v1.11.4"; exit 0 ;;
init) exit 0 ;;
esac
sigints=0
trap 'sigints=$((sigints + 1)); echo "$sigints" > sigints' INT
echo $$ > lock
echo "working"
until [ -e finish ]; do sleep 0.02; done
# Time for a further SIGINT to arrive, should one have been sent.
if [ "$sigints" -gt 0 ]; then sleep 0.3; fi
rm lock
echo "ended"
[ "$sigints" -eq 0 ]
