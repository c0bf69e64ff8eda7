#!/bin/sh
# Checks the rendered roots, and through them the modules, with checkov. No network is used. A check
# that does not fit is skipped beside its resource, with the reason.
set -eu
CDPATH= cd "$(dirname "$0")/.."
environment=$(scripts/environment.sh scripts/checkov)
roots=.orchestrate/checkov
rm -rf "$roots"
bin/orchestrate render --out "$roots" >/dev/null
"$environment/bin/checkov" --directory "$roots" --framework terraform \
  --download-external-modules false --skip-download --quiet --compact
