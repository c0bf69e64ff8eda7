from orchestrate.terraform.lock import LockInfo, from_error
from tests.unit.terraform.streams import diagnostics

HELD = LockInfo(
    "8e82682b-c605-7954-873b-bcf142cd7a18", "ops@buildhost", "2026-11-29 22:27:43 UTC", "apply"
)


def test_a_failed_run_tells_who_holds_the_lock() -> None:
    assert from_error(diagnostics("locked")[0].detail) == HELD


def test_another_error_describes_no_lock() -> None:
    assert from_error("Error message: access denied") is None
    assert from_error("Lock Info:\n  Path: somewhere") is None
