"""`fleet/sites/NAME.yaml`."""

from pydantic import Field

from orchestrate.fleet.models.base import Model, Role
from orchestrate.fleet.models.kubernetes import Kubernetes
from orchestrate.fleet.shapes import (
    Address,
    Description,
    HostKey,
    Labels,
    Login,
    Range,
    Tags,
    Taint,
    Whole,
    Word,
)


class Lan(Model):
    """A site's network: a fixed `range` the building has, or a `prefix` to be allocated."""

    range: Range | None = None
    """What the building already has."""
    prefix: Whole | None = Field(default=None, ge=16, le=28)
    """The length in bits of a range to be allocated."""


class RackHost(Model):
    """A physical host, with a static address on its site's LAN."""

    role: Role
    lan: Word
    """One of the site's LANs."""
    address: Address
    gpus: Whole = Field(default=0, ge=0, le=16)
    labels: Labels = Field(default_factory=dict)
    """Kubernetes labels of the node."""
    taints: tuple[Taint, ...] = ()
    """Kubernetes taints of the node."""
    host_key: HostKey | None = None
    """The public key that its sshd shows; without it the first key seen is kept."""


class Gateway(Model):
    """The site's way out: the host that ends its VPNs, and the address the world sees."""

    host: Word
    """One of the site's rack hosts."""
    public_address: Address


class SiteStorage(Model):
    """What a site's storage host exports over NFS."""

    host: Word
    """One of the site's rack hosts, with the role storage."""
    exports: tuple[Word, ...] = Field(min_length=1)
    """The mounts by name: `home` is at /home on every host of the site."""


class Site(Model):
    """`fleet/sites/NAME.yaml`: a physical location with racks."""

    name: Word
    """Also the file's name."""
    description: Description = ""
    lans: dict[Word, Lan] = Field(min_length=1)
    gateway: Gateway
    login: Login = "admin"
    """The login that the hosts' installer created, by which the first converge gets in."""
    storage: SiteStorage | None = None
    kubernetes: Kubernetes = Kubernetes()
    racks: dict[Word, dict[Word, RackHost]] = Field(default_factory=dict)
    """Hosts by rack and name."""
    tags: Tags = Field(default_factory=dict)
