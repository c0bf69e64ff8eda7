"""Where ranges come from."""

from typing import Literal

from pydantic import Field

from orchestrate.fleet.models.base import Model
from orchestrate.fleet.shapes import Range, Text, Whole


class AddressPool(Model):
    """A range to allocate from."""

    range: Range
    reserved: tuple[Range, ...] = ()
    """Parts of the range that are never given out."""


class ExternalRange(Model):
    """A range somebody else uses (an office, Docker's bridge); nothing of ours may touch it."""

    range: Range
    why: Text
    """Who uses it."""


class Addresses(Model):
    """Where ranges come from."""

    pools: dict[Literal["cloud", "sites", "vpn", "pods", "services"], AddressPool]
    """What to allocate from: VPCs, site LANs, VPN clients, pods and services."""
    external: tuple[ExternalRange, ...] = ()
    """Ranges that others use."""
    quarantine_days: Whole = Field(default=30, ge=0, le=3650)
    """How many days a released range rests before it is reused."""
