"""A file system's policies, put, read and taken away."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.unit.lab.gaps.test_in_use import refused
from tests.unit.lab.gaps.test_twice import Cloud

ANYBODY = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "elasticfilesystem:ClientMount"}
POLICY = json.dumps({"Version": "2012-10-17", "Statement": [ANYBODY]})


def test_a_policy_is_taken_away_and_the_file_system_stays(endpoint: str) -> None:
    efs = Cloud(endpoint)._client("efs")
    name = efs.create_file_system(CreationToken="x")["FileSystemId"]
    efs.put_file_system_policy(FileSystemId=name, Policy=POLICY)
    efs.delete_file_system_policy(FileSystemId=name)
    refused("PolicyNotFound", lambda: efs.describe_file_system_policy(FileSystemId=name))
    efs.put_file_system_policy(FileSystemId=name, Policy=POLICY)
    assert json.loads(efs.describe_file_system_policy(FileSystemId=name)["Policy"])
    efs.delete_file_system(FileSystemId=name)


def test_of_a_file_system_that_is_not_there_it_is_not_found(endpoint: str) -> None:
    efs = Cloud(endpoint)._client("efs")
    with pytest.raises(ClientError, match="FileSystemNotFound"):
        efs.delete_file_system_policy(FileSystemId="fs-0123456789abcdef0")
