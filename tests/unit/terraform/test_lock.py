import json

import pytest

from orchestrate.terraform.lock import LockInfo, from_error, from_file
from tests.unit.terraform.streams import diagnostics

HELD = LockInfo(
    "8e82682b-c605-7954-873b-bcf142cd7a18", "ops@buildhost", "2026-11-29 22:27:43 UTC", "apply"
)


def test_a_failed_run_tells_who_holds_the_lock() -> None:
    assert from_error(diagnostics("locked")[0].detail) == HELD


def test_the_lock_file_tells_the_same() -> None:
    file = {
        "ID": HELD.id,
        "Operation": "OperationTypeApply",
        "Info": "",
        "Who": "ops@buildhost",
        "Version": "1.11.4",
        "Created": "2026-11-29T22:27:43.813413157Z",
        "Path": "state-bucket/west.tfstate",
    }
    assert from_file(json.dumps(file).encode()) == HELD


def test_another_error_describes_no_lock() -> None:
    assert from_error("Error message: access denied") is None
    assert from_error("Lock Info:\n  Path: somewhere") is None


@pytest.mark.parametrize("content", [b"", b"[]", b"<html>"])
def test_something_that_is_no_lock_file_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_file(content)
