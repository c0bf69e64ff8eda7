"""EFS: backup policies, and the end of a file system's own."""

import json
from collections.abc import Callable
from typing import Any

from moto.efs.models import EFSBackend
from moto.efs.responses import EFSResponse

from orchestrate.lab.gaps import adds, amends


@adds(EFSResponse, "put_backup_policy")
def put_backup_policy(response: Any) -> str:
    """Backups of a file system are switched on or off, at once.

    https://docs.aws.amazon.com/efs/latest/ug/API_PutBackupPolicy.html. `aws_efs_backup_policy`;
    moto only reads the policy.
    """
    status = response._get_param("BackupPolicy")["Status"]
    settled = {"ENABLING": "ENABLED", "DISABLING": "DISABLED"}.get(status, status)
    name = response._get_param("FileSystemId")
    system = response.efs_backend.describe_file_systems(file_system_id=name)[1][0]
    system.lab_backup_policy = {"Status": settled}
    return json.dumps({"BackupPolicy": system.lab_backup_policy})


@adds(EFSResponse, "delete_file_system_policy")
def delete_file_system_policy(response: Any) -> str:
    """A file system is open to whoever reaches it again.

    https://docs.aws.amazon.com/efs/latest/ug/API_DeleteFileSystemPolicy.html. An
    `aws_efs_file_system_policy` that is destroyed; moto has no such action.
    """
    name = response._get_param("FileSystemId")
    system = response.efs_backend.describe_file_systems(file_system_id=name)[1][0]
    system.file_system_policy = None
    return ""


@amends(EFSBackend, "describe_backup_policy")
def describe_backup_policy(
    original: Callable[..., Any], backend: Any, file_system_id: str
) -> dict[str, str]:
    """A policy once put is there, as DISABLED too; only one never put is not found."""
    system = backend.file_systems_by_id.get(file_system_id)
    policy: dict[str, str] = getattr(system, "lab_backup_policy", None) or original(
        backend, file_system_id
    )
    return policy
