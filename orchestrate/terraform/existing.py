"""Creates that AWS refused because the thing is there: how an error tells, and what ends it. Pure.

An answer that was lost on its way leaves a resource in AWS that Terraform doesn't know, and every
later apply fails at it. `orchestrate import` brings it into the state. Which id it takes there is
documented with each resource of the AWS provider, under "Import".
"""

import re
import shlex
from collections.abc import Sequence

from orchestrate.terraform.events import Diagnostic

# AWS's codes have no common form: InvalidGroup.Duplicate, EntityAlreadyExists, RouteAlreadyExists,
# BucketAlreadyOwnedByYou, Resource.AlreadyAssociated, MountTargetConflict. Route 53 says it in
# words only. BucketAlreadyExists is none of them: that bucket is somebody else's.
CODE = re.compile(
    r"\b(?!BucketAlreadyExists)(?:\w+\.)?\w*"
    r"(?:AlreadyExist|AlreadyOwnedByYou|AlreadyAssociated)\w*(?:\.\w*Exception)?"
    r"|\b\w+\.Duplicate\b|\bMountTargetConflict\b|\bInvalidSubnet\.Conflict\b"
    r"|\bConflictingDomainExists\b|\bInvalidChangeBatch(?=.*but it already exists)",
    re.DOTALL,
)
NAME = re.compile(r"\(([^()]+)\)")  # the provider's `creating IAM Role (NAME): …`
PLAIN = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_./:=@+-]*")
# What mesh has of two clusters is in the regions that its module is named after.
PAIR = re.compile(r"module\.peering_([a-z0-9-]+)_")
REGIONAL = ("aws ec2 ", "aws efs ")
INDEX = re.compile(r"\[[^\]]*\]$")

# Of these types the id is the name.
BY_NAME = {
    "aws_autoscaling_group",
    "aws_iam_instance_profile",
    "aws_iam_role",
    "aws_key_pair",
    "aws_s3_bucket",
}
# Of these the error says the id: the first group, or all of them with `_` between.
BY_ERROR = {
    "aws_efs_file_system": re.compile(r"\b(fs-[0-9a-f]+)"),
    "aws_route": re.compile(r"Route Table \((rtb-[0-9a-f]+)\) with destination \(([^)]+)\)"),
}
# Of all others somebody must look; `{name}` is what the error says.
LOOK = {
    "aws_efs_mount_target": "aws efs describe-mount-targets --file-system-id FS_ID",
    "aws_iam_policy": "aws iam list-policies --scope Local"
    " --query \"Policies[?PolicyName=='{name}'].Arn\"",
    "aws_launch_template": "aws ec2 describe-launch-templates --launch-template-names {name}",
    "aws_route53_record": "aws route53 list-hosted-zones; the id is ZONE_NAME_TYPE",
    "aws_route53_zone": "aws route53 list-hosted-zones-by-name --dns-name {name}",
    "aws_route53_zone_association": "aws route53 list-hosted-zones; the id is ZONE:VPC",
    "aws_route_table_association": "aws ec2 describe-route-tables; the id is SUBNET/TABLE",
    "aws_security_group": "aws ec2 describe-security-groups"
    " --filters Name=group-name,Values={name}",
    "aws_subnet": "aws ec2 describe-subnets",
    "aws_vpc_endpoint": "aws ec2 describe-vpc-endpoints",
    "aws_vpc_peering_connection": "aws ec2 describe-vpc-peering-connections",
    "aws_vpc_security_group_egress_rule": "aws ec2 describe-security-group-rules",
    "aws_vpc_security_group_ingress_rule": "aws ec2 describe-security-group-rules",
}
DOCUMENTED = "the id its page in the AWS provider's documentation names under Import"


def code(error: Diagnostic) -> str:
    """AWS's code for "is there already", where that is why a resource was not made; else ""."""
    text = f"{error.summary}\n{error.detail}"
    found = CODE.search(text) if error.address else None
    return found[0] if found else ""


def told(stack: str, errors: Sequence[Diagnostic], region: str = "") -> tuple[str, str]:
    """What to say of errors that all have a `code`, and the next step: a line for each.

    `region` is the stack's, "" where nobody knows it.
    """
    known = "AWS has already what Terraform was to make, and the state doesn't know it"
    why = "the answer to an earlier create was lost, or somebody made it by hand"
    lines = [f"\n    {error.address} ({code(error)})" for error in errors]
    steps = [f"\n    {_import(stack, error, region)}" for error in errors]
    last = "\n    (if it isn't this fleet's, remove or rename it instead)"
    return (
        f"{known}: {why}:{''.join(lines)}",
        f"bring it in, then run this again:{''.join(steps)}{last}",
    )


def _import(stack: str, error: Diagnostic, region: str) -> str:
    known = _id(error)
    command = shlex.join(["orchestrate", "import", stack, error.address, known or "ID"])
    return command if known else f"{command}    with ID from: {_look(error, region)}"


def _id(error: Diagnostic) -> str:
    kind = _type(error.address)
    if pattern := BY_ERROR.get(kind):
        found = pattern.search(f"{error.summary}\n{error.detail}")
        return "_".join(found.groups()) if found else ""
    return _name(error) if kind in BY_NAME else ""


def _look(error: Diagnostic, region: str) -> str:
    look = LOOK.get(_type(error.address), DOCUMENTED).replace("{name}", _name(error) or "NAME")
    if not look.startswith(REGIONAL):
        return look
    pair = PAIR.match(error.address)
    command, semicolon, rest = look.partition(";")
    return f"{command} --region {pair[1] if pair else region or 'REGION'}{semicolon}{rest}"


def _name(error: Diagnostic) -> str:
    """What the error calls it, where that means nothing to the shell it is typed into."""
    found = NAME.search(error.summary)
    return found[1] if found and PLAIN.fullmatch(found[1]) else ""


def _type(address: str) -> str:
    """`aws_subnet` of `module.network.aws_subnet.private["us-west-2a"]`."""
    return INDEX.sub("", address).split(".")[-2] if "." in address else ""
