"""Which fault strikes which request."""

from dataclasses import replace

import pytest

from orchestrate.lab.call import Call
from orchestrate.lab.faults.decide import Tally, chosen, decide
from orchestrate.lab.faults.models import ApiFault, Fault, Launch, LaunchFault

NOW = 1000.0
RUN = Call("123456789012", "us-west-2", "ec2", "RunInstances")
PUT = Call("123456789012", "us-west-2", "s3", "PUT /states/mesh.tfstate")
LAUNCH = Launch("p5.48xlarge", "us-west-2", "us-west-2a", "gpu")
THROTTLE = ApiFault(kind="throttle", name="one")


@pytest.mark.parametrize(
    ("fault", "request_"),
    [
        (ApiFault(kind="drop"), RUN),
        (ApiFault(kind="drop", service="ec2", action="run*", region="us-*"), RUN),
        (ApiFault(kind="drop", service="s3", action="PUT *.tfstate"), PUT),
        (LaunchFault(kind="no-capacity"), LAUNCH),
        (LaunchFault(kind="no-capacity", instance_type="p5.*", place="us-west-2a"), LAUNCH),
        (LaunchFault(kind="no-capacity", place="us-west-2"), LAUNCH),
        (LaunchFault(kind="launch-failure", group="g*"), LAUNCH),
    ],
)
def test_a_fault_strikes_what_it_is_about(fault: Fault, request_: Call | Launch) -> None:
    assert decide([fault], request_, NOW, {}) is fault


@pytest.mark.parametrize(
    ("fault", "request_"),
    [
        (ApiFault(kind="drop", service="s3"), RUN),
        (ApiFault(kind="drop", action="Describe*"), RUN),
        (ApiFault(kind="drop", region="eu-*"), RUN),
        (ApiFault(kind="drop"), LAUNCH),
        (LaunchFault(kind="no-capacity"), RUN),
        (LaunchFault(kind="no-capacity", place="us-west-2b"), LAUNCH),
        (LaunchFault(kind="no-capacity", instance_type="t3.*"), LAUNCH),
        (LaunchFault(kind="launch-failure", group="nodes"), LAUNCH),
    ],
)
def test_a_fault_spares_everything_else(fault: Fault, request_: Call | Launch) -> None:
    assert decide([fault], request_, NOW, {}) is None


def test_a_fault_ends_with_its_time() -> None:
    fault = replace(THROTTLE, until=NOW)

    assert decide([fault], RUN, NOW - 0.1, {}) is fault
    assert decide([fault], RUN, NOW, {}) is None


def test_a_fault_ends_after_its_strikes_however_many_requests_it_saw() -> None:
    fault = replace(THROTTLE, count=2)

    assert decide([fault], RUN, NOW, {"one": Tally(seen=9, struck=1)}) is fault
    assert decide([fault], RUN, NOW, {"one": Tally(seen=9, struck=2)}) is None


def test_the_first_fault_that_strikes_wins() -> None:
    other = replace(THROTTLE, name="two")

    assert decide([replace(THROTTLE, rate=0.0), other, THROTTLE], RUN, NOW, {}) is other


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_the_share_struck_is_the_rate_and_the_same_each_time(rate: float) -> None:
    fault = replace(THROTTLE, rate=rate)

    struck = [chosen(fault, number) for number in range(1000)]

    assert abs(sum(struck) / 1000 - rate) < 0.05
    assert struck == [chosen(fault, number) for number in range(1000)]


def test_another_seed_strikes_others() -> None:
    shares = [
        [chosen(replace(THROTTLE, rate=0.5, seed=seed), number) for number in range(50)]
        for seed in (0, 1)
    ]

    assert shares[0] != shares[1]
