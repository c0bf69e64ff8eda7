"""Who holds an access key: the lab's operator, by the account's number; a user or a role's session,
by what IAM and STS of the lab gave out. Reads moto's models, which are only added to.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from moto.iam.models import iam_backends
from moto.sts.models import sts_backends

from orchestrate.lab.secret import LabSecret

ACCOUNT = re.compile(r"[0-9]{12}")


@dataclass(frozen=True)
class Holder:
    """Whom an access key stands for. `token` and `expires` are a session's."""

    account: str
    secret: str = field(repr=False)
    operator: bool = False
    token: str = field(default="", repr=False)
    expires: datetime | None = None


def find(own: LabSecret, key: str) -> Holder | None:
    """The holder of an access key; None where the lab gave out none such, or took it back."""
    if ACCOUNT.fullmatch(key):
        return Holder(key, own.access_key(key), operator=True)
    for account, backend in _accounts():
        found = backend.access_keys.get(key)
        if found is not None:
            return _session(account, key) if found.user_name is None else _user(account, found)
    return None


def _accounts() -> Iterator[tuple[str, Any]]:
    """IAM of every account there is: to ask moto for another one would make it."""
    for account, partitions in list(iam_backends.items()):
        for backend in list(partitions.values()):
            yield account, backend


def _user(account: str, key: Any) -> Holder | None:
    return Holder(account, key.secret_access_key) if key.status == "Active" else None


def _session(account: str, key: str) -> Holder | None:
    for backend in list(sts_backends[account].values()):
        session: Any = backend.get_assumed_role_from_access_key(key)
        if session is not None:
            secret, token = session.secret_access_key, session.session_token
            return Holder(account, secret, token=token, expires=_end(session))
    return None


def _end(session: Any) -> datetime:
    """An instance's session ends with it; on AWS it runs out some hours later."""
    instance = getattr(session, "lab_instance", None)
    if instance is not None and instance.state == "terminated":
        return datetime.min.replace(tzinfo=UTC)
    end: datetime = session.expiration.replace(tzinfo=UTC)
    return end
