"""`fleet/fleet.yaml`."""

from pydantic import Field

from orchestrate.fleet.models.addresses import Addresses
from orchestrate.fleet.models.base import Model
from orchestrate.fleet.models.images import BakedImage, InstanceType, SourceImage
from orchestrate.fleet.shapes import (
    Account,
    Description,
    Domain,
    Login,
    Name,
    PublicKey,
    Region,
    Tags,
    Truth,
    UserKey,
    Whole,
    Word,
)


class State(Model):
    """Where Terraform's state is kept."""

    region: Region
    """The region of the state bucket."""


class User(Model):
    """A person with a login. Administrators have one on every host and may use sudo."""

    uid: Whole = Field(ge=2000, le=59999)
    """The same on every host, as files on shared storage belong to numbers."""
    keys: tuple[UserKey, ...] = ()
    """OpenSSH public keys."""
    admin: Truth = False
    """Whether the person operates the hosts; others have a login on bastions and ssh-nodes."""
    verifier: Truth = False
    """Whether it is no person but what runs `orchestrate verify`, as CI does: with a login on every
    host that may read everything there and change nothing."""
    gone: Truth = False
    """Whether the login is to be taken away; keep the entry, so that nobody else gets the uid."""


class FleetFile(Model):
    """`fleet/fleet.yaml`: what all clusters and sites share."""

    name: Word
    """The first part of every name AWS sees."""
    account: Account
    """The only AWS account that a run may touch: twelve digits, in quotes."""
    domain: Domain
    """The parent of every cluster's and site's DNS zone."""
    description: Description = ""
    state: State
    ssh_public_key: PublicKey = ""
    """The operators' public key, which becomes each cluster's EC2 key pair on AWS."""
    addresses: Addresses
    images: dict[Name, SourceImage] = Field(min_length=1)
    """The images that hosts may start from, by the name used here."""
    baked: dict[Word, BakedImage] = Field(default_factory=dict)
    """Images of our own, by the name used here; node groups may start from them as well."""
    users: dict[Login, User] = Field(default_factory=dict)
    """Who has a login on the hosts, by login."""
    instance_types: dict[Name, InstanceType] = Field(default_factory=dict)
    """Instance types that AWS offers and `orchestrate` does not know yet."""
    tags: Tags = Field(default_factory=dict)
    """Tags on every AWS resource."""
