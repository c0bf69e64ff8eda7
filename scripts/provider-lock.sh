#!/bin/sh
# Renews terraform/.terraform.lock.hcl: the checksums of the AWS provider VERSION, signed by
# HashiCorp, for every platform that people run this on. Asks the registry, or the mirror in
# $ORCHESTRATE_PROVIDER_MIRROR. Usage: scripts/provider-lock.sh VERSION
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

version=${1:?"which version? for example: scripts/provider-lock.sh 5.100.0"}
lock=$root/terraform/.terraform.lock.hcl
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/main.tf" <<EOF
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> ${version%.*}"
    }
  }
}
EOF
set -- -platform=linux_amd64 -platform=linux_arm64 -platform=darwin_amd64 -platform=darwin_arm64
if [ -n "${ORCHESTRATE_PROVIDER_MIRROR:-}" ]; then
    set -- -platform=linux_amd64 -fs-mirror="$ORCHESTRATE_PROVIDER_MIRROR"
fi
"${ORCHESTRATE_TERRAFORM:-terraform}" -chdir="$folder" providers lock "$@"
{
    sed '/^provider/,$d' "$lock"
    sed -n '/^provider/,$p' "$folder/.terraform.lock.hcl"
} >"$folder/new"
cp "$folder/new" "$lock"
echo "$lock is renewed; make AWS in orchestrate/terraform/providers.py and the constraints below terraform/ agree with it" >&2
