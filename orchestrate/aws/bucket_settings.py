"""What the state bucket must be: each setting, how to read, want and write it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrate.aws.session import Session
from orchestrate.errors import AwsError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Document = Mapping[str, Any]

# What S3 answers for a setting that was never made.
NEVER_SET = {
    "NoSuchBucketPolicy",
    "NoSuchLifecycleConfiguration",
    "NoSuchPublicAccessBlockConfiguration",
    "OwnershipControlsNotFoundError",
    "ServerSideEncryptionConfigurationNotFoundError",
}
KEEP_VERSIONS_DAYS = 365
KEEP_UPLOADS_DAYS = 7


@dataclass(frozen=True)
class Setting:
    """One setting of a bucket. `want` gets the current document, so that it can keep what
    others put beside ours; it returns the current document itself when that is already right.
    """

    what: str
    read: Callable[[S3Client, str], Any]
    want: Callable[[str, Document], Document]
    write: Callable[[S3Client, str, Any], object]


def settle(session: Session, region: str, bucket: str, setting: Setting) -> bool:
    """Make one setting right; True if it had to be changed. Raises AwsError."""
    s3 = session.s3(region)
    try:
        with session.calling(f"read the {setting.what} of bucket {bucket}"):
            current = setting.read(s3, bucket)
    except AwsError as error:
        if error.code not in NEVER_SET:
            raise
        current = {}
    wanted = setting.want(bucket, current)
    if covers(current, wanted):
        return False
    with session.calling(f"set the {setting.what} of bucket {bucket}"):
        setting.write(s3, bucket, wanted)
    return True


def covers(current: object, wanted: object) -> bool:
    """Whether everything wanted is there; AWS may have added fields with their defaults. Pure."""
    if isinstance(current, Mapping) and isinstance(wanted, Mapping):
        return all(key in current and covers(current[key], wanted[key]) for key in wanted)
    if isinstance(current, list) and isinstance(wanted, list):
        return len(current) == len(wanted) and all(map(covers, current, wanted))
    return current == wanted


def always(document: Document) -> Callable[[str, Document], Document]:
    return lambda _bucket, _current: document


def tls_only(bucket: str, current: Document) -> Document:
    """The policy with our statement in it; statements of others stay. Pure."""
    ours = {
        "Sid": "OnlyOverTls",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    others = [one for one in current.get("Statement", []) if one.get("Sid") != ours["Sid"]]
    return {"Version": "2012-10-17", "Statement": [*others, ours]}


def expire_old_versions(_bucket: str, current: Document) -> Document:
    """The lifecycle with our rule in it; rules of others stay. Pure."""
    ours = {
        "ID": "expire-old-versions",
        "Status": "Enabled",
        "Filter": {"Prefix": ""},
        "NoncurrentVersionExpiration": {"NoncurrentDays": KEEP_VERSIONS_DAYS},
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": KEEP_UPLOADS_DAYS},
    }
    others = [one for one in current.get("Rules", []) if one.get("ID") != ours["ID"]]
    return {"Rules": [*others, ours]}


PRIVATE = {
    "BlockPublicAcls": True,
    "IgnorePublicAcls": True,
    "BlockPublicPolicy": True,
    "RestrictPublicBuckets": True,
}
# SSE-S3: Terraform's own `encrypt = true` asks for the same, and a KMS key would be one more
# thing to lose; who may read the state is decided by the bucket's policy and IAM.
ENCRYPTED = {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}
OWNED = {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}

SETTINGS = (
    Setting(
        "public access block",
        lambda s3, bucket: s3.get_public_access_block(Bucket=bucket)[
            "PublicAccessBlockConfiguration"
        ],
        always(PRIVATE),
        lambda s3, bucket, wanted: s3.put_public_access_block(
            Bucket=bucket, PublicAccessBlockConfiguration=wanted
        ),
    ),
    Setting(
        "ownership of all objects",
        lambda s3, bucket: s3.get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"],
        always(OWNED),
        lambda s3, bucket, wanted: s3.put_bucket_ownership_controls(
            Bucket=bucket, OwnershipControls=wanted
        ),
    ),
    Setting(
        "encryption",
        lambda s3, bucket: s3.get_bucket_encryption(Bucket=bucket)[
            "ServerSideEncryptionConfiguration"
        ],
        always(ENCRYPTED),
        lambda s3, bucket, wanted: s3.put_bucket_encryption(
            Bucket=bucket, ServerSideEncryptionConfiguration=wanted
        ),
    ),
    Setting(
        "versioning",
        lambda s3, bucket: s3.get_bucket_versioning(Bucket=bucket),
        always({"Status": "Enabled"}),
        lambda s3, bucket, wanted: s3.put_bucket_versioning(
            Bucket=bucket, VersioningConfiguration=wanted
        ),
    ),
    Setting(
        "TLS-only policy",
        lambda s3, bucket: json.loads(s3.get_bucket_policy(Bucket=bucket)["Policy"]),
        tls_only,
        lambda s3, bucket, wanted: s3.put_bucket_policy(Bucket=bucket, Policy=json.dumps(wanted)),
    ),
    Setting(
        "lifecycle of old versions",
        lambda s3, bucket: s3.get_bucket_lifecycle_configuration(Bucket=bucket),
        expire_old_versions,
        lambda s3, bucket, wanted: s3.put_bucket_lifecycle_configuration(
            Bucket=bucket, LifecycleConfiguration=wanted
        ),
    ),
)
