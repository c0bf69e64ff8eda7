"""Builds below what they were made from."""

from orchestrate.images import tree
from orchestrate.images.catalogue import Catalogue, recorded
from tests.unit.images.builds import build

BASE = build("base-20261101-0000-aaaaaa", parent="ami-0d")
LATER = build("base-20261102-0000-bbbbbb", parent="ami-0e")
CPU = build("cpu-20261103-0000-cccccc", parent=BASE.id)
GPU = build("gpu-20261103-0000-dddddd", parent=CPU.id)
SSH = build("ssh-20261103-0000-eeeeee", parent=BASE.id)
ORPHAN = build("vpn-20261103-0000-ffffff", parent="base-20260101-0000-000000")


def catalogue() -> Catalogue:
    made = Catalogue()
    for one in (BASE, LATER, CPU, GPU, SSH, ORPHAN):
        made = recorded(made, one.role, one)
    return made


def test_what_the_catalogue_does_not_know_stands_at_the_left() -> None:
    assert tree.lines(catalogue(), lambda image, _: image) == [
        "ami-0d",
        "└─ base",
        "   ├─ cpu",
        "   │  └─ gpu",
        "   └─ ssh",
        "ami-0e",
        "└─ base",
        "base-20260101-0000-000000",
        "└─ vpn",
    ]


def test_a_lineage_goes_back_to_the_vendor() -> None:
    assert tree.lineage(catalogue(), GPU) == [GPU.id, CPU.id, BASE.id, "ami-0d"]
