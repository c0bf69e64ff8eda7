"""What all fleet models share, and the words they choose from."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Architecture = Literal["x86_64", "arm64"]
Role = Literal[
    "bastion",
    "vpn",
    "ssh-node",
    "cpu-worker",
    "gpu-worker",
    "control-plane",
    "storage",
    "site-gateway",
]
Capacity = Literal["on-demand", "spot", "mixed"]


class Model(BaseModel):
    """What all fleet models share: immutable, and no key passes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
