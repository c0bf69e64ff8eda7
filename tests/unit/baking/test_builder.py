"""S16: what is left of an image that comes to nothing; on the lab's own API, without its hosts.

What Packer and the suites do is played here; that they really do it is tested in the lab.
"""

from collections.abc import Callable
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest

from orchestrate.aws import bench, images
from orchestrate.aws.session import Session
from orchestrate.baking import suites
from orchestrate.baking.builder import Builder, ImageFailed, Order
from orchestrate.baking.suites import Failure
from orchestrate.chef.archive import Archive
from orchestrate.errors import AwsError, CommandFailed, Interrupted
from orchestrate.fleet.load import load
from orchestrate.images import labels, packer
from orchestrate.images.packer import Packer
from orchestrate.shell import Stop
from tests.unit.images.builds import build

WEST, DEBIAN = "us-west-2", "136693071363"
ONE = build("base-20261101-0000-aaaaaa", regions={})
NAME = f"deeplab-{ONE.id}"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDa0a7bsxZ8SfrOMRoE5aXgEpcASUx/nH6bNq11BAKII bake"
FAILED = Failure("base", "test_sshd", "test_sshd.py:12", "assert 420 == 384")


@pytest.fixture
def builder(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builder:
    """An builder whose Packer makes an AMI of an instance, and leaves that instance behind."""
    subnet = bench.default_subnet(session, WEST)
    assert subnet
    everybody = [IPv4Network("0.0.0.0/0")]
    on = bench.set_up(session, "bake", subnet, public_key=KEY, ssh_from=everybody, tags={"a": "b"})
    builder = Builder(
        fleet=load(Path(__file__).parents[2] / "golden" / "example" / "fleet"),
        session=session,
        root=tmp_path,
        packer=Packer("packer", (1, 6, 6)),
        environment={},
        bench=on,
        key_file=tmp_path / "key",
        run="run-1",
        folder=tmp_path,
        log=lambda image: tmp_path / f"{image}.log",
        stop=Stop(),
        on_start=lambda *_: None,
    )

    def made(*_: object, **__: object) -> str:
        tags = {"orchestrate:build": ONE.id}
        lost = bench.Bench(on.name, on.subnet, on.security_group, tags)
        instance = bench.launch(
            session, lost, ami=order(session).source.id, instance_type="t3.large", name="b"
        )
        return session.ec2(WEST).create_image(InstanceId=instance, Name=NAME)["ImageId"]

    monkeypatch.setattr(packer, "build", made)
    return builder


def order(session: Session) -> Order:
    ami = images.newest(
        session, WEST, owner=DEBIAN, name="debian-12-*", architecture=ONE.architecture
    )
    assert ami
    return Order("base", ONE, ami, "admin", Archive("base", "d" * 64, ("base",), b""), "f" * 64)


def tried(monkeypatch: pytest.MonkeyPatch, outcome: Callable[[], list[Failure]]) -> None:
    monkeypatch.setattr(suites, "run", lambda *_: outcome())


def left(session: Session) -> list[Any]:
    ec2 = session.ec2(WEST)
    alive = bench.instances(session, WEST, "orchestrate:build", ONE.id)
    snapshots = ec2.describe_snapshots()["Snapshots"]
    return [
        *alive,
        *images.named(session, WEST, [NAME]),
        *(one for one in snapshots if one["OwnerId"] == "123456789012"),
    ]


def interrupted() -> list[Failure]:
    raise Interrupted("interrupted")


def lost() -> list[Failure]:
    raise CommandFailed(["pytest"], "was ended by SIGKILL")


def test_an_image_that_passes_stays_and_its_instances_go(
    builder: Builder, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(monkeypatch, list)
    ami = builder.make(order(session), lambda _: None, lambda _: None)
    assert images.named(session, WEST, [NAME]) == [ami]
    assert ami.tags[labels.RECIPE] == "f" * 64
    assert bench.instances(session, WEST, "orchestrate:build", ONE.id) == []


def test_s16_an_image_that_fails_on_a_fresh_instance_is_removed_with_everything(
    builder: Builder, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(monkeypatch, lambda: [FAILED])
    with pytest.raises(ImageFailed) as refused:
        builder.make(order(session), lambda _: None, lambda _: None)
    assert str(FAILED) in str(refused.value)
    assert "base.log" in refused.value.fix
    assert left(session) == []


@pytest.mark.parametrize(("outcome", "error"), [(interrupted, Interrupted), (lost, CommandFailed)])
def test_whatever_ends_a_trial_nothing_is_left(
    builder: Builder,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    outcome: Callable[[], list[Failure]],
    error: type[Exception],
) -> None:
    tried(monkeypatch, outcome)
    with pytest.raises(error):
        builder.make(order(session), lambda _: None, lambda _: None)
    assert left(session) == []


def test_an_image_that_cannot_be_removed_is_remembered(
    builder: Builder, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AwsError("AWS says no")

    tried(monkeypatch, lambda: [FAILED])
    monkeypatch.setattr(images, "remove", refuse)
    with pytest.raises(ImageFailed):
        builder.make(order(session), lambda _: None, lambda _: None)
    assert builder.left == [ONE.id]


@pytest.mark.parametrize(
    ("outcome", "error", "stays"),
    [
        (lambda: [FAILED], ImageFailed, False),
        (interrupted, Interrupted, True),
        (lost, CommandFailed, True),
    ],
)
def test_an_image_made_earlier_goes_only_if_it_fails_its_tests(
    builder: Builder,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    outcome: Callable[[], list[Failure]],
    error: type[Exception],
    stays: bool,
) -> None:
    tried(monkeypatch, list)
    ami = builder.make(order(session), lambda _: None, lambda _: None)
    tried(monkeypatch, outcome)
    with pytest.raises(error):
        builder.test(order(session), ami, lambda _: None)
    assert (images.named(session, WEST, [NAME]) == [ami]) is stays
    assert bench.instances(session, WEST, "orchestrate:build", ONE.id) == []
