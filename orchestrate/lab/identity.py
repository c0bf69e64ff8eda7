"""What an instance can be told about itself. Pure data, read from the API by `identities`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import IPv4Address, IPv4Network


@dataclass(frozen=True)
class Credentials:
    """A session of the instance's role, as STS gives it."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    token: str = field(repr=False)
    issued: datetime
    expires: datetime


@dataclass(frozen=True)
class Profile:
    """The instance profile and its role."""

    arn: str
    id: str
    role: str
    credentials: Credentials


@dataclass(frozen=True)
class Identity:
    """An instance as the metadata service shows it.

    `security_groups` are names by id. `tags` is empty unless the metadata options allow them,
    `user_data` as it was given, decoded. `interrupted_at` is when a spot instance goes.
    """

    instance_id: str
    account: str
    region: str
    zone: str
    image_id: str
    instance_type: str
    architecture: str
    root_device: str
    reservation_id: str
    launch_index: int
    launched: datetime
    hostname: str
    public_hostname: str
    private_ip: IPv4Address
    public_ip: IPv4Address | None
    mac: str
    interface_id: str
    vpc_id: str
    vpc_cidr: IPv4Network
    subnet_id: str
    subnet_cidr: IPv4Network
    security_groups: Mapping[str, str] = field(default_factory=dict)
    key_name: str = ""
    public_key: str = ""
    spot: bool = False
    interrupted_at: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    user_data: bytes = field(default=b"", repr=False)
    profile: Profile | None = None
    service_enabled: bool = True
    token_required: bool = True
