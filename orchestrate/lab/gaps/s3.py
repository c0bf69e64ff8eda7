"""S3: conditions of bucket policies, and whose bucket a bucket is."""

import json
from collections.abc import Callable
from typing import Any

from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.s3.models import FakeBucket
from moto.s3.responses import S3Response

from orchestrate.lab.gaps import amends


@amends(FakeBucket, "get_permission")
def get_permission(
    _original: Callable[..., Any], bucket: FakeBucket, action: str, resource: str
) -> Any:
    """A statement counts only if its condition holds; loopback counts as TLS here.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies.html (HTTPS).
    moto does not know the operator `Bool` and takes every condition it does not know as met, so
    that a TLS-only policy on a bucket would refuse everybody everything.
    """
    if bucket.policy is None:
        return PermissionResult.NEUTRAL
    policy = json.loads(bucket.policy)
    statements = policy["Statement"]
    statements = statements if isinstance(statements, list) else [statements]
    policy["Statement"] = [one for one in statements if not for_plain_http(one)]
    return IAMPolicy(json.dumps(policy)).is_action_permitted(action, resource)


def for_plain_http(statement: dict[str, Any]) -> bool:
    """Whether the statement is about requests without TLS only."""
    wanted = statement.get("Condition", {}).get("Bool", {}).get("aws:SecureTransport")
    return str(wanted).lower() == "false"


@amends(S3Response, "head_bucket")
def head_bucket(original: Callable[..., Any], response: S3Response) -> Any:
    """A bucket of another account answers 403.

    https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html. moto lets every account
    into every bucket, so that a state bucket somebody else owns would be taken for ours.
    """
    status, headers, body = original(response)
    if status == 200:
        bucket = response.backend.head_bucket(response.bucket_name)
        if bucket.account_id != response.current_account:
            return 403, headers, body
    return status, headers, body
