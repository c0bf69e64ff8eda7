#!/bin/sh
# Stands in for a terraform whose part is written down: in each root, `plan.jsonl` and `apply.jsonl`
# are what it says and `apply.code` how an apply ends; an apply waits (30 s)
# while there is `apply.hold`, and does `apply.then` before. It notes what it was asked in `asked`,
# the words of a plan in `arguments`.
command=$1
case $command in
version) echo "Terraform v1.11.4"; exit 0 ;;
init) exit 0 ;;
esac
echo "$command" >> asked
[ "$command" != plan ] || echo "$*" > arguments
for word; do
  case $word in -out=*) cp plan.tfplan "${word#-out=}" || exit 1 ;; esac
done
cat "$command.jsonl" 2> /dev/null
case $command in
plan) if grep -q planned_change plan.jsonl; then exit 2; fi ;;
apply)
  if [ -e apply.then ]; then . ./apply.then; fi
  patience=600
  while [ -e apply.hold ] && [ $((patience -= 1)) -gt 0 ]; do sleep 0.05; done
  exit "$(cat apply.code 2> /dev/null || echo 0)"
  ;;
esac
