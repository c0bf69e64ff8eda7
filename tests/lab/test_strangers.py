"""A lab, tried by another user of the machine who has no rights: nobody."""

import json
import os
import stat
from pathlib import Path

import pytest

from orchestrate import shell
from tests.lab.conftest import Account, LabFolder

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else"),
]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]
TRY = """
import json, sys, urllib.error, urllib.request
method, url, body, headers = json.loads(sys.argv[1])
request = urllib.request.Request(url, body.encode() or None, headers, method=method)
try:
    print(urllib.request.urlopen(request).status)
except urllib.error.HTTPError as refused:
    print(refused.code)
"""
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LAUNCH = "Action=RunInstances&MinCount=1&MaxCount=1&ImageId=ami-1&Version=2016-11-15"
SCOPE = "Credential=123456789012/20261130/us-west-2/ec2/aws4_request"
GUESS = {"Authorization": f"AWS4-HMAC-SHA256 {SCOPE}, SignedHeaders=host, Signature=0"}
ORIGIN = {"Origin": "https://evil.example"}

# What tells nobody anything, were the folder open.
PUBLIC = {
    "daemon.lock",
    "lab.json",
    "cloud.id",
    "id_ed25519.pub",
    "aws-config",
    "hosts",
    "layers",
    "sites.json",
}


def as_nobody(*argv: str) -> shell.Finished:
    return shell.run([*NOBODY, *argv], cwd=Path("/"), env={"PATH": os.environ["PATH"]}, check=False)


@pytest.mark.parametrize(
    ("method", "path", "body", "headers"),
    [
        ("POST", "/", LAUNCH, FORM),
        ("POST", "/", LAUNCH, {**FORM, **GUESS}),
        ("POST", "/_lab/reset", "{}", {}),
        ("POST", "/_lab/reset", "{}", ORIGIN),
        ("POST", "/_lab/faults", '{"kind": "drop"}', {}),
        ("POST", "/_lab/sites", '{"sites": []}', {}),
        ("GET", "/_lab/status", "", {}),
        ("POST", "/moto-api/reset", "", {}),
        ("GET", "/moto-api/data.json", "", {}),
        ("GET", "/latest/meta-data/iam/security-credentials/default-role", "", {}),
        ("GET", "/", "", {"Host": "evil.example"}),
    ],
)
def test_another_user_is_refused(
    lab_api: LabFolder, method: str, path: str, body: str, headers: dict[str, str]
) -> None:
    call = json.dumps([method, lab_api.record.endpoint + path, body, headers])
    done = as_nobody("/usr/bin/python3", "-c", TRY, call)
    assert done.stdout.strip() in {"400", "401", "403"}, done


def test_another_user_reads_nothing_of_a_lab(lab_api: LabFolder) -> None:
    """Its folder is shut, and so is what is secret in it by itself."""
    folder = lab_api.files.folder
    assert folder.stat().st_uid == 0
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    open_to_others = {
        file.name: oct(mode)
        for file in folder.iterdir()
        if (mode := stat.S_IMODE(file.stat().st_mode)) & 0o077 and file.name not in PUBLIC
    }
    assert open_to_others == {}


def test_secrets_are_in_nobodys_sight(account: Account) -> None:
    """Neither in the daemon's arguments nor in its environment nor in the log."""
    lab = account.lab
    daemon = Path(f"/proc/{lab.record.pid}")
    account.client("sts").get_caller_identity()
    seen = b"".join([(daemon / "cmdline").read_bytes(), (daemon / "environ").read_bytes()]).decode(
        errors="replace"
    )
    seen += lab.files.log.read_text() + lab.files.record.read_text()
    own = lab.secret
    for secret in (own.token, own.seed.hex(), own.access_key(account.number)):
        assert secret not in seen
