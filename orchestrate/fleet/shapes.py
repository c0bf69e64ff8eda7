"""The types of single values in the fleet files, and how to say in words what they ask. Pure."""

import base64
import binascii
import re
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, Strict, StringConstraints
from pydantic_core import PydanticCustomError

from orchestrate.plain_text import LONGEST_WORD, WORD

Kept = TypeVar("Kept")

# What AWS and people call instance types and images: `u-6tb1.metal`, `ubuntu-22.04`.
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
ZONE = r"^[a-z]{2}(-[a-z]+)+-\d[a-z]$"
REGION = r"^[a-z]{2}(-[a-z]+)+-\d$"
DOMAIN = r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$"
ACCOUNT = r"^\d{12}$"
TEXT = r"^[ -~]*$"
# What EC2 takes in a security group's description: AWSEC2 API_CreateSecurityGroup.
DESCRIPTION = r"^[a-zA-Z0-9 ._:/()#,@\[\]+=&;{}!$*-]*$"
# kubernetes.io/docs/concepts/overview/working-with-objects/labels
_LABEL_NAME = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_LABEL_PREFIX = r"([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?"
LABEL_KEY = rf"^{_LABEL_PREFIX}{_LABEL_NAME}$"
LABEL_VALUE = rf"^({_LABEL_NAME})?$"
_EFFECT = "(NoSchedule|PreferNoSchedule|NoExecute)"
TAINT = rf"^{_LABEL_PREFIX}{_LABEL_NAME}(=({_LABEL_NAME})?)?:{_EFFECT}$"
# The narrowest of the services that get the tags, IAM: IAM/latest/APIReference/API_Tag.html
TAG_KEY = r"^[A-Za-z0-9 _.:/=+@-]+$"
TAG_VALUE = r"^[A-Za-z0-9 _.:/=+@-]*$"
# useradd(8) of Debian: what NAME_REGEX of adduser.conf(5) takes, 32 characters at most.
LOGIN = r"^[a-z][a-z0-9-]{0,31}$"
# sshd(8), AUTHORIZED_KEYS FILE FORMAT; options before a key would be a way around the hosts' rules.
USER_KEY = (
    r"^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com)"
    r" [A-Za-z0-9+/]+=*( [ -~]*)?$"
)
# Of this type alone: every sshd has one, and OpenSSH and paramiko both ask for it first, so that a
# host never shows another of its keys.
HOST_KEY = r"^ssh-ed25519 [A-Za-z0-9+/]+=*( [ -~]*)?$"
# EC2 imports RSA and ED25519 keys only: AWSEC2 API_ImportKeyPair.
PUBLIC_KEY = r"^(ssh-(ed25519|rsa) [A-Za-z0-9+/]+=*( [ -~]*)?)?$"

IN_WORDS = {
    WORD: ("lower-case letters, digits and single dashes, a letter first", "gpu-a100"),
    NAME: ("letters, digits, dots, dashes and underscores, a letter or digit first", "debian-12"),
    ZONE: ("an availability zone", "us-west-2a"),
    REGION: ("an AWS region", "us-west-2"),
    DOMAIN: ("a DNS domain in lower case", "lab.example.net"),
    ACCOUNT: ("an AWS account, twelve digits in quotes", '"123456789012"'),
    TEXT: ("plain ASCII text on one line", "The main cluster"),
    DESCRIPTION: (
        "ASCII letters, digits, spaces and ._-:/()#,@[]+=&;{}!$*, as EC2 takes no others",
        "The main cluster",
    ),
    LABEL_KEY: ("a Kubernetes label", "deeplab/card"),
    LABEL_VALUE: ("a Kubernetes label's value: letters, digits, dots and dashes", "a100"),
    TAINT: ("a Kubernetes taint", "nvidia.com/gpu=present:NoSchedule"),
    TAG_KEY: ("an AWS tag's key: letters, digits, spaces and _.:/=+-@", "cost-centre"),
    TAG_VALUE: ("an AWS tag's value: letters, digits, spaces and _.:/=+-@", "research"),
    LOGIN: ("lower-case letters, digits and dashes, a letter first, 32 at most", "ada"),
    USER_KEY: ("an OpenSSH public key on one line, without options", "ssh-ed25519 AAAA... ada"),
    HOST_KEY: (
        "the line in the host's /etc/ssh/ssh_host_ed25519_key.pub",
        "ssh-ed25519 AAAA... root@sf-gpu1",
    ),
    PUBLIC_KEY: ("an OpenSSH public key, RSA or ED25519, on one line", "ssh-ed25519 AAAA... me"),
}
"""What a pattern asks for, to be read after 'must be', and an example."""

CHARACTERS = frozenset({TEXT, DESCRIPTION, TAG_KEY, TAG_VALUE})
"""Patterns that only say which characters may be used."""


def need_prefix(value: Kept) -> Kept:
    """Refuse a range without its length: `10.0.0.0` alone would silently be a single address."""
    if isinstance(value, str) and "/" in value:
        return value
    raise PydanticCustomError("range_without_prefix", "a range needs its length")


def need_text(value: Kept) -> Kept:
    """Refuse a number where an address belongs: 10 would silently be 0.0.0.10."""
    if isinstance(value, str):
        return value
    raise PydanticCustomError("ip_v4_address", "not an address")


def key_blob_type(blob: str) -> str:
    """The type that a public key's base64 text names inside; "" where it is no key.

    RFC 4253, 6.6: the blob begins with the length (4 octets) and the name of its type.
    """
    try:
        octets = base64.b64decode(blob, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return octets[4 : 4 + int.from_bytes(octets[:4])].decode(errors="replace")


def whole_key(key: str) -> str:
    """Refuse a host key that was not copied whole: no host would ever show it."""
    kind, blob, *_ = key.split(" ")
    if key_blob_type(blob) != kind:
        raise PydanticCustomError("host_key", "not a whole key")
    return key


def not_reserved(tags: dict[str, str]) -> dict[str, str]:
    """Refuse tags that AWS (`aws:`) or we (`Name`) give ourselves."""
    for key in tags:
        if re.match(r"aws:|name$", key, re.IGNORECASE):
            raise PydanticCustomError("reserved_tag", "reserved", {"key": key})
    return tags


Whole = Annotated[int, Strict()]
# Pydantic by itself takes "no", 'y' and 1 as well.
Truth = Annotated[bool, Strict()]
Word = Annotated[str, StringConstraints(pattern=WORD, max_length=LONGEST_WORD)]
Name = Annotated[str, StringConstraints(pattern=NAME, max_length=100)]
Zone = Annotated[str, StringConstraints(pattern=ZONE)]
Region = Annotated[str, StringConstraints(pattern=REGION)]
# 120 leave room for a cluster's label and a host's below it in the 253 of a whole DNS name.
Domain = Annotated[str, StringConstraints(pattern=DOMAIN, max_length=120)]
Account = Annotated[str, StringConstraints(pattern=ACCOUNT)]
Text = Annotated[str, StringConstraints(pattern=TEXT, max_length=200)]
# Ends up in descriptions of security groups: EC2 would refuse other characters, but only at apply.
Description = Annotated[str, StringConstraints(pattern=DESCRIPTION, max_length=200)]
Taint = Annotated[str, StringConstraints(pattern=TAINT)]
LabelKey = Annotated[str, StringConstraints(pattern=LABEL_KEY)]
LabelValue = Annotated[str, StringConstraints(pattern=LABEL_VALUE, max_length=63)]
TagKey = Annotated[str, StringConstraints(pattern=TAG_KEY, max_length=128)]
TagValue = Annotated[str, StringConstraints(pattern=TAG_VALUE, max_length=256)]
PublicKey = Annotated[str, StringConstraints(pattern=PUBLIC_KEY)]
UserKey = Annotated[str, StringConstraints(pattern=USER_KEY)]
HostKey = Annotated[str, StringConstraints(pattern=HOST_KEY), AfterValidator(whole_key)]
Login = Annotated[str, StringConstraints(pattern=LOGIN)]
Range = Annotated[IPv4Network, BeforeValidator(need_prefix)]
Address = Annotated[IPv4Address, BeforeValidator(need_text)]
Labels = dict[LabelKey, LabelValue]
Tags = Annotated[dict[TagKey, TagValue], AfterValidator(not_reserved)]
