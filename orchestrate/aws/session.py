"""Clients of the AWS API for a Target. The only importer of boto3 and botocore.

Both are imported when the first client is made: they take longer to import than most commands run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from orchestrate.errors import AwsError
from orchestrate.target import Target

if TYPE_CHECKING:
    import boto3
    from mypy_boto3_autoscaling import AutoScalingClient
    from mypy_boto3_ec2 import EC2Client
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sts import STSClient

Service = Literal["autoscaling", "ec2", "route53", "s3", "sts"]

# botocore's `standard` mode waits a random part of 0.05 s, then of twice that, up to 20 s. Ten
# tries are over in 13 seconds; sixteen ride out a minute of the throttling and the 503s that a
# burst of a thousand instances brings.
ATTEMPTS = 16
CONNECT_SECONDS, READ_SECONDS = 5, 30

EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired"}
REJECTED = {
    "AuthFailure",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "403"}
LOG_IN = "log in again (`aws sso login`, or new keys) and check with `aws sts get-caller-identity`"


class Session:
    """The clients of one target, made once per service and region; safe to share by threads."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._clients: dict[tuple[Service, str], Any] = {}
        self._making = Lock()

    def ec2(self, region: str) -> EC2Client:
        return self._client("ec2", region)  # type: ignore[no-any-return]

    def autoscaling(self, region: str) -> AutoScalingClient:
        return self._client("autoscaling", region)  # type: ignore[no-any-return]

    def route53(self, region: str) -> Any:
        """Route 53 has one endpoint for all regions; there is no package of its types here."""
        return self._client("route53", region)

    def s3(self, region: str) -> S3Client:
        return self._client("s3", region)  # type: ignore[no-any-return]

    def sts(self, region: str) -> STSClient:
        return self._client("sts", region)  # type: ignore[no-any-return]

    @contextmanager
    def calling(self, purpose: str) -> Iterator[None]:
        """Raise AwsError in plain words for what botocore raises inside.

        `purpose` is a verb phrase: "list the hosts". An AwsError passes through as it is.
        """
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.parsers import ResponseParserError

        try:
            yield
        # The last is no BotoCoreError: a page of HTML, from a proxy or a server that broke.
        except (BotoCoreError, ClientError, ResponseParserError) as error:
            raise explain(error, self.target, purpose) from error

    def _client(self, service: Service, region: str) -> Any:
        # boto3's sessions are not safe for threads while they make a client; clients are.
        with self._making:
            if (service, region) not in self._clients:
                self._clients[service, region] = _make(self.target, service, region)
            return self._clients[service, region]


def verify_account(session: Session, account: str, region: str) -> None:
    """Raise AwsError unless the credentials belong to the fleet's 12-digit `account`."""
    with session.calling("find out whose credentials these are"):
        caller = session.sts(region).get_caller_identity()
    if caller["Account"] != account:
        raise AwsError(
            f"these credentials belong to account {caller['Account']}, the fleet to {account}",
            where=caller["Arn"],
            fix="choose the right credentials (AWS_PROFILE), or correct `account` in fleet.yaml",
        )


def explain(error: Exception, target: Target, purpose: str) -> AwsError:
    """What a botocore error means to an operator, and the next step. Pure."""
    from botocore import exceptions as botocore

    if isinstance(error, botocore.ClientError):
        return _refused(error, target, purpose)
    if isinstance(error, (botocore.NoCredentialsError, botocore.PartialCredentialsError)):
        fix = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; `aws sso login`"
        return AwsError(f"cannot {purpose}: no AWS credentials found", fix=fix)
    if isinstance(error, (botocore.SSOError, botocore.TokenRetrievalError)):
        return AwsError(f"cannot {purpose}: the AWS login has expired", fix=LOG_IN)
    if isinstance(error, (botocore.HTTPClientError, botocore.ConnectionError)):
        return _unreachable(error, target, purpose)
    fix = "check ~/.aws/config and the AWS_* variables" if _about_settings(error) else ""
    return AwsError(f"cannot {purpose}: {error}", fix=fix)


def _about_settings(error: Exception) -> bool:
    from botocore import exceptions as botocore

    return isinstance(
        error,
        (
            botocore.ProfileNotFound,
            botocore.ConfigNotFound,
            botocore.ConfigParseError,
            botocore.CredentialRetrievalError,
            botocore.InvalidConfigError,
            botocore.NoRegionError,
        ),
    )


def _refused(error: Any, target: Target, purpose: str) -> AwsError:
    code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    if code in EXPIRED:
        what, fix = "the AWS credentials have expired", LOG_IN
    elif code in REJECTED:
        what, fix = "AWS does not know these credentials", LOG_IN
        if target.name == "lab":  # whose credentials were read when the command began
            what, fix = "the lab has other credentials by now", "run this again in the new lab"
    elif code in DENIED:
        action = _action(error, message)
        what = f"access denied for {action}"
        fix = f"ask whoever runs the account to allow {action}"
    else:
        what, fix = f"{message or 'refused'} ({code})", ""
    return AwsError(f"cannot {purpose}: {what}", fix=fix, code=code)


def _action(error: Any, message: str) -> str:
    """The IAM action that was denied: AWS names it in most messages, else the API operation."""
    named = re.search(r"not authorized to perform:? ([a-z0-9-]+:\w+)", message)
    return named.group(1) if named else error.operation_name


def _unreachable(error: Exception, target: Target, purpose: str) -> AwsError:
    if target.name == "lab":
        return AwsError(
            f"cannot {purpose}: the lab's AWS API does not answer",
            where=target.endpoint_url or "",
            fix="start it with `orchestrate lab up`; see `orchestrate lab status`",
        )
    return AwsError(f"cannot {purpose}: {error}", fix="check the network, proxy and AWS_REGION")


def _make(target: Target, service: Service, region: str) -> Any:
    from botocore.config import Config

    config = Config(
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
    )
    if target.name == "lab":
        # The lab is on loopback, where no proxy is needed.
        config = config.merge(Config(proxies={}, s3={"addressing_style": "path"}))
    with Session(target).calling("use the AWS credentials"):
        return _boto3_session(target).client(
            service, region_name=region, endpoint_url=target.endpoint_url, config=config
        )


def _boto3_session(target: Target) -> boto3.Session:
    """On AWS the usual chain; in the lab only the target's own credentials and no config file."""
    import boto3
    import botocore.session

    if target.name == "aws":
        usual = botocore.session.Session()
        _share_descriptions(usual)
        return boto3.Session(botocore_session=usual)
    nothing = (None, None, os.devnull, None)
    alone = botocore.session.Session(
        session_vars={
            "profile": (None, None, None, None),
            "config_file": nothing,
            "credentials_file": nothing,
        }
    )
    _share_descriptions(alone)
    return boto3.Session(
        aws_access_key_id=target.environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=target.environment["AWS_SECRET_ACCESS_KEY"],
        botocore_session=alone,
    )


def _share_descriptions(session: Any) -> None:
    """Let all sessions share what botocore has read of its descriptions of services.

    EC2's takes 0.2 s to read, and each session would read it anew.
    """
    session.register_component("data_loader", _loader(session.get_config_variable("data_path")))


@cache
def _loader(data_path: str | None) -> Any:
    from botocore.loaders import create_loader

    return create_loader(data_path)
