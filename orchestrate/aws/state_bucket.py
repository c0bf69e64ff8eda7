"""The S3 bucket that keeps Terraform's state: made once, then read.

Terraform itself writes the objects: `<stack>.tfstate`, and `<stack>.tfstate.tflock` while it holds
the lock. This reads both, and deletes a lock only by its id.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from orchestrate.aws.bucket_settings import SETTINGS, settle
from orchestrate.aws.session import Session
from orchestrate.errors import AwsError, StateLocked
from orchestrate.plain_text import is_word, shown

ENDS, LOCK_SUFFIX = ".tfstate", ".tfstate.tflock"
MISSING = {"404", "NoSuchBucket", "NoSuchKey", "NotFound"}
FOREIGN = {"403", "AccessDenied", "BucketAlreadyExists"}
ELSEWHERE = {"301", "PermanentRedirect", "IllegalLocationConstraintException"}


@dataclass(frozen=True)
class StateBucket:
    """Which bucket, in which region, and the 12-digit account that must own it."""

    name: str
    region: str
    account: str


@dataclass(frozen=True)
class Step:
    """One property of the bucket, and whether it had to be changed."""

    what: str
    changed: bool


@dataclass(frozen=True)
class Lock:
    """Who holds a stack's state. `created` is Terraform's own timestamp (RFC 3339, UTC)."""

    stack: str
    id: str
    who: str
    operation: str
    created: str

    @property
    def since(self) -> str:
        """`created` as people read it: `2026-11-29 22:15:04 UTC`, without its nanoseconds."""
        found = re.match(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})", self.created)
        return f"{found[1]} {found[2]} UTC" if found else self.created


def bootstrap(session: Session, bucket: StateBucket) -> list[Step]:
    """Bring the bucket to what it must be; a second call changes nothing.

    Raises AwsError if the name is taken by another account, or the bucket is in another region.
    """
    exists = _exists(session, bucket)
    if not exists:
        _create(session, bucket)
    made = Step(f"bucket in {bucket.region}", changed=not exists)
    return [made] + [
        Step(setting.what, settle(session, bucket.region, bucket.name, setting))
        for setting in SETTINGS
    ]


def read_state(session: Session, bucket: StateBucket, stack: str) -> bytes | None:
    """A stack's state as Terraform wrote it; None if it was never applied.

    Raises AwsError if there is no such bucket.
    """
    return _read(session, bucket, f"{stack}.tfstate")


def stacks(session: Session, bucket: StateBucket) -> list[str]:
    """The names of the stacks that have a state, sorted. An object whose key is no stack's name is
    none of ours: names become folders, and words of command lines.
    """
    return sorted(name for name in _states(session, bucket) if is_word(name))


def strange(session: Session, bucket: StateBucket) -> list[str]:
    """The keys of objects that look like states and can be no stack's, sorted."""
    return sorted(f"{name}{ENDS}" for name in _states(session, bucket) if not is_word(name))


def _states(session: Session, bucket: StateBucket) -> list[str]:
    keys = _keys(session, bucket)
    return [key.removesuffix(ENDS) for key in keys if key.endswith(ENDS)]


def locks(session: Session, bucket: StateBucket) -> list[Lock]:
    """The locks held now, by stack."""
    held = [
        key
        for key in _keys(session, bucket)
        if key.endswith(LOCK_SUFFIX) and is_word(key.removesuffix(LOCK_SUFFIX))
    ]
    texts = {key: _read(session, bucket, key) for key in sorted(held)}
    return [parse_lock(key, text) for key, text in texts.items() if text is not None]


def parse_lock(key: str, text: bytes) -> Lock:
    """A lock object's content. Pure; a lock that cannot be read still names its stack."""
    try:
        info = json.loads(text)
    except (ValueError, RecursionError):
        info = None
    told = info if isinstance(info, dict) else {}
    return Lock(
        stack=key.removesuffix(LOCK_SUFFIX),
        id=shown(told.get("ID", "")),
        who=shown(told.get("Who", "unknown")),
        operation=shown(told.get("Operation", "")).removeprefix("OperationType"),
        created=shown(told.get("Created", "")),
    )


def release(session: Session, bucket: StateBucket, lock: Lock) -> None:
    """Delete a lock, provided it is still this one. Only for a lock whose owner is gone.

    Raises StateLocked if somebody else has taken it since.
    """
    key = lock.stack + LOCK_SUFFIX
    text = _read(session, bucket, key)
    if text is None:
        return
    now = parse_lock(key, text)
    if now.id != lock.id:
        raise StateLocked(
            f"the lock is now another one, held by {now.who} since {now.since}",
            where=lock.stack,
            fix="wait for that run to end, then look again with `orchestrate status`",
        )
    with session.calling(f"release the lock of {lock.stack}"):
        session.s3(bucket.region).delete_object(Bucket=bucket.name, Key=key)


def _exists(session: Session, bucket: StateBucket) -> bool:
    try:
        with session.calling(f"look for bucket {bucket.name}"):
            found = session.s3(bucket.region).head_bucket(
                Bucket=bucket.name, ExpectedBucketOwner=bucket.account
            )
    except AwsError as error:
        if error.code in MISSING:
            return False
        raise _unusable(error, bucket) from error
    region = found.get("BucketRegion", bucket.region)
    if region != bucket.region:
        raise _elsewhere(bucket, region)
    return True


def _create(session: Session, bucket: StateBucket) -> None:
    # us-east-1 is the API's default and refuses to be named (CreateBucket, LocationConstraint).
    place = {"LocationConstraint": bucket.region}
    settings: dict[str, Any] = (
        {} if bucket.region == "us-east-1" else {"CreateBucketConfiguration": place}
    )
    s3 = session.s3(bucket.region)
    try:
        with session.calling(f"create bucket {bucket.name}"):
            s3.create_bucket(Bucket=bucket.name, **settings)
            s3.get_waiter("bucket_exists").wait(Bucket=bucket.name)
    except AwsError as error:
        raise _unusable(error, bucket) from error


def _unusable(error: AwsError, bucket: StateBucket) -> AwsError:
    """The error to raise for a bucket that exists but is not ours; else the error itself."""
    if error.code in FOREIGN:
        return AwsError(
            f"bucket {bucket.name} exists, but account {bucket.account} may not use it",
            fix="bucket names are shared by all AWS customers: if it isn't yours, "
            "change `name` in fleet.yaml; if it is, ask for s3:ListBucket on it",
            code=error.code,
        )
    if error.code in ELSEWHERE:
        return _elsewhere(bucket, "another region")
    return error


def _elsewhere(bucket: StateBucket, region: str) -> AwsError:
    return AwsError(
        f"bucket {bucket.name} is in {region}, fleet.yaml says {bucket.region}",
        fix="set `state.region` to where it is: a bucket cannot move",
    )


def _read(session: Session, bucket: StateBucket, key: str) -> bytes | None:
    s3 = session.s3(bucket.region)
    try:
        with session.calling(f"read {key} from bucket {bucket.name}"):
            return s3.get_object(Bucket=bucket.name, Key=key)["Body"].read()
    except AwsError as error:
        if error.code == "NoSuchKey":
            return None
        raise _no_bucket(error, bucket) from error


def _keys(session: Session, bucket: StateBucket) -> list[str]:
    pages = session.s3(bucket.region).get_paginator("list_objects_v2")
    try:
        with session.calling(f"list bucket {bucket.name}"):
            return [
                found["Key"]
                for page in pages.paginate(Bucket=bucket.name)
                for found in page.get("Contents", [])
            ]
    except AwsError as error:
        raise _no_bucket(error, bucket) from error


def _no_bucket(error: AwsError, bucket: StateBucket) -> AwsError:
    if error.code != "NoSuchBucket":
        return error
    return AwsError(
        f"there is no bucket {bucket.name} yet",
        fix="create it with `orchestrate bootstrap`",
        code=error.code,
    )
