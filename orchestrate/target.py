"""Where a run acts: the lab or AWS. Pure data.

The rendered Terraform is the same for both; a target differs in the environment its tools get.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class Target:
    """An AWS API and the way to its hosts.

    `endpoint_url` is None on AWS itself. `environment` is what Terraform, Packer and the AWS SDKs
    need on top of the caller's: endpoint and credentials for the lab, nothing for AWS.
    `ssh_public_key` becomes the clusters' EC2 key pair; `ssh_identity` is its private half,
    None where the operator's own agent or ~/.ssh holds it. `real_hosts` is False when instances
    exist in the API only. `moved` has the public address of each site that the lab has, with the
    one it is reached at here; None where sites are where the fleet says. `cloud` tells one lab from
    an earlier one of which nothing is left; AWS is always the same.
    """

    name: Literal["lab", "aws"]
    endpoint_url: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    ssh_public_key: str = ""
    ssh_identity: Path | None = None
    real_hosts: bool = True
    moved: Mapping[str, str] | None = None
    cloud: str = ""
