"""Images of hosts: who may be launched from which."""

from types import SimpleNamespace

import pytest
from moto.ec2.exceptions import EC2ClientError

from orchestrate.lab.gaps import hosts
from orchestrate.lab.gaps.baked_images import launchable, layers_of


class Copying:
    """A keeper of hosts as far as an image asks it."""

    def __init__(self, state: str) -> None:
        self.layer_state = {"snap-1": state}.__getitem__


def backend() -> SimpleNamespace:
    snapshot = SimpleNamespace(status="pending")
    image = SimpleNamespace(state="pending", ebs_snapshot=snapshot, lab_layers=("snap-1", "snap-0"))
    return SimpleNamespace(amis={"ami-1": image})


@pytest.mark.parametrize(
    ("layer", "state"), [("copying", "pending"), ("the disk is full", "failed")]
)
def test_nothing_is_launched_from_an_image_that_is_not_whole(
    layer: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "_keepers", [Copying(layer)])
    account = backend()

    with pytest.raises(EC2ClientError, match=f"is {state}, not available"):
        launchable(account, "ami-1")

    assert account.amis["ami-1"].state == state


def test_an_image_is_launched_from_once_its_disk_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "_keepers", [Copying("whole")])

    image = launchable(backend(), "ami-1")

    assert image is not None
    assert (image.state, image.ebs_snapshot.status) == ("available", "completed")
    assert layers_of(image) == ("snap-1", "snap-0")


def test_an_unknown_image_is_left_to_moto_to_refuse() -> None:
    assert launchable(backend(), "ami-2") is None
