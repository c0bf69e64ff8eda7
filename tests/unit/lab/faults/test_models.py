"""Faults as plain data, there and back."""

import pytest

from orchestrate.errors import LabError
from orchestrate.lab.faults.models import ApiFault, Fault, HostFault, LaunchFault, fault_of


@pytest.mark.parametrize(
    "fault",
    [
        ApiFault(kind="slow", name="fault-1", service="s3", delay_s=2.5, rate=0.5, until=9.0),
        LaunchFault(kind="no-capacity", instance_type="p5.*", place="us-west-2a", count=3),
        HostFault(kind="hang", instance_id="i-0123456789abcdef0"),
    ],
)
def test_a_fault_survives_being_written_down(fault: Fault) -> None:
    assert fault_of(fault.document()) == fault


def test_an_unknown_kind_lists_those_there_are() -> None:
    with pytest.raises(LabError, match=r"throttle, .*no-capacity, .*hang"):
        fault_of({"kind": "earthquake"})


def test_a_word_that_does_not_belong_to_the_kind_is_named() -> None:
    with pytest.raises(LabError, match="throttle has no zone"):
        fault_of({"kind": "throttle", "zone": "us-west-2a"})
