#!/bin/sh
# mount.access-point SOURCE FOLDER -o OPTIONS: mounts a part of an EFS file system. Managed by orchestrate.
#
# `point=NAME` among the options is a name whose TXT record is the access point's id: Terraform knows it,
# files that are written before do not. mount(8) runs this as root, and mount.efs does the rest.
set -eu
source=$1
folder=$2
shift 2
options=
while getopts 'sfnvt:N:o:' option; do
  [ "$option" != o ] || options=$OPTARG
done
words=$(printf '%s' "$options" | tr , '\n')
point=$(printf '%s\n' "$words" | sed -n 's/^point=//p')
id=$(host -W 5 -t TXT "$point" | sed -n 's/^.* descriptive text "\(fsap-[0-9a-f]*\)"$/\1/p')
if [ -z "$id" ]; then
  echo "mount.access-point: no access point has the name '$point'; apply the cluster, which makes it" >&2
  exit 32
fi
rest=$(printf '%s\n' "$words" | sed '/^point=/d' | paste -s -d , -)
exec mount.efs "$source" "$folder" -o "$rest,accesspoint=$id"
