"""The lab as the rest of the program sees it: a target with an endpoint, credentials and a key."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from orchestrate.errors import LabError
from orchestrate.lab import own_folder, record, secret
from orchestrate.lab.paths import LabFiles, lab_files
from orchestrate.lab.record import LabRecord
from orchestrate.lab.secret import LabSecret
from orchestrate.target import Target

START = "orchestrate lab up"
STATUS_PATH = "/_lab/status"
FAULTS_PATH = "/_lab/faults"
RESET_PATH = "/_lab/reset"
SITES_PATH = "/_lab/sites"
LOOPBACK = "127.0.0.1"
PROXY_VARIABLES = ("HTTP_PROXY", "http_proxy")


def running(files: LabFiles) -> LabRecord:
    """The living daemon's record. Raises LabError when there is none, it is not ready, or it may be
    somebody else's.
    """
    own_folder.check(files)
    found = record.read(files.record)
    if found is None or not found.alive:
        gone = " (its daemon was killed)" if found else ""
        raise LabError(f"the lab is not running{gone}", where=str(files.folder), fix=START)
    if not found.ready:
        raise LabError(f"the lab is not ready: {found.stage}", where=str(files.folder), fix=START)
    return found


def target(account: str) -> Target:
    """The running lab as a place for runs to act. Raises LabError when it is not running."""
    files = lab_files()
    lab = running(files)
    return Target(
        "lab",
        endpoint_url=lab.endpoint,
        environment=environment(lab.endpoint, account, files, secret.read(files)),
        ssh_public_key=files.public_key.read_text().strip(),
        ssh_identity=files.identity,
        real_hosts=lab.hosts,
        moved=lab.moved,
        cloud=record.cloud_id(files),
    )


def environment(endpoint: str, account: str, files: LabFiles, own: LabSecret) -> dict[str, str]:
    """What AWS tools need on top to reach the lab and nothing else, whatever else is set. Pure.

    `own` is the lab's secret: the tools act as the operator of `account`.
    """
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false",
        "AWS_ACCESS_KEY_ID": account,
        "AWS_SECRET_ACCESS_KEY": own.access_key(account),
        "AWS_SESSION_TOKEN": "",
        # A profile of the user's would bring credentials, a role or another endpoint.
        "AWS_PROFILE": "default",
        "AWS_CONFIG_FILE": str(files.aws_config),
        "AWS_SHARED_CREDENTIALS_FILE": str(files.aws_config),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
        "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
        # Not what the caller excepts: with `*` the lab would be no proxy either.
        "NO_PROXY": LOOPBACK,
        "no_proxy": LOOPBACK,
        # S3 Control calls a host of its own per account, which no name server knows here
        # (`123456789012.127.0.0.1`): the lab is the proxy that does.
        **dict.fromkeys(PROXY_VARIABLES, endpoint),
    }


def status(lab: LabRecord) -> dict[str, Any]:
    """What the daemon says of itself; see `Daemon.status`. Raises LabError when it is silent."""
    return _ask(lab, "GET", STATUS_PATH)


def add_fault(lab: LabRecord, order: Mapping[str, Any]) -> dict[str, Any]:
    """Order a fault, see `faults.desk`; answers with it. Raises LabError when it is refused."""
    return _ask(lab, "POST", FAULTS_PATH, order)


def faults(lab: LabRecord) -> list[dict[str, Any]]:
    """The faults in force, see `FaultBook.listing`. Raises LabError."""
    found: list[dict[str, Any]] = _ask(lab, "GET", FAULTS_PATH)["faults"]
    return found


def clear_faults(lab: LabRecord, names: Sequence[str]) -> list[str]:
    """End these faults, or all; answers with their names. Raises LabError for unknown names."""
    cleared: list[str] = _ask(lab, "DELETE", FAULTS_PATH, {"names": list(names)})["cleared"]
    return cleared


def order_sites(lab: LabRecord, sites: Sequence[Mapping[str, Any]]) -> None:
    """Have the racks of these sites, as `sites.models.document` has them. Raises LabError."""
    _ask(lab, "POST", SITES_PATH, {"sites": list(sites)})


def reset(lab: LabRecord) -> None:
    """Empty the lab: all accounts, hosts, racks and faults. Raises LabError."""
    _ask(lab, "POST", RESET_PATH, {})
    record.begin_cloud(lab.files)


def _ask(
    lab: LabRecord, method: str, path: str, document: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    # With TLS and mail: whoever only asks where the lab is need not wait for them.
    import urllib.error
    import urllib.request

    body = None if document is None else json.dumps(document).encode()
    headers = {"Content-Type": "application/json", **secret.read(lab.files).authorization}
    request = urllib.request.Request(  # noqa: S310 - the daemon's own endpoint
        lab.endpoint + path, data=body, method=method, headers=headers
    )
    # Straight to loopback: a proxy of the user's knows nothing of it.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as answer:
            told: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as refused:
        said = json.load(refused)
        raise LabError(said["error"], fix=said["fix"]) from refused
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise LabError(
            f"the lab's daemon (pid {lab.pid}) does not answer: {error}",
            where=lab.endpoint,
            fix="see `orchestrate lab logs`; `orchestrate lab down` ends it",
        ) from error
    return told
