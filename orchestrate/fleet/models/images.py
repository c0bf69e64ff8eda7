"""What hosts start from."""

from pydantic import Field

from orchestrate.fleet.models.base import Architecture, Model
from orchestrate.fleet.shapes import Account, Name, Region, Text, Whole, Word


class SourceImage(Model):
    """A vendor's AMI that hosts start from: the newest of `owner` whose name matches `name`."""

    owner: Account
    """The vendor's AWS account."""
    name: Text
    """A pattern, like `debian-12-amd64-*`."""
    user: Word
    """The login that the image's cloud-init creates."""
    architecture: Architecture = "x86_64"
    """What its instance types must run."""


class BakedImage(Model):
    """An image of our own: `orchestrate bake` makes it of its parent by converging a role."""

    parent: Name
    """The image it is made from: a vendor's, or another one of ours."""
    role: Word = ""
    """The role in chef/roles to converge; left out, the one called like the image."""


class InstanceType(Model):
    """What one EC2 instance type has."""

    cpus: Whole = Field(ge=1)
    """vCPUs."""
    memory_mib: Whole = Field(ge=128)
    """Memory in MiB."""
    gpus: Whole = Field(default=0, ge=0, le=16)
    """NVIDIA GPUs, as Kubernetes would count them."""
    card: Text = ""
    """The GPU's name, like `A100`."""
    architecture: Architecture = "x86_64"
    regions: frozenset[Region] = frozenset()
    """Where AWS offers it; empty where that is not known."""
