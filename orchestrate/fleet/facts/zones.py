"""AWS's regions and the availability zones an account may find in them.

Accounts differ: in older regions AWS maps letters to zones account by account, and leaves some
out. So a region that is not here is a mistake, a letter that is not here only a likely one.
docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html
"""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def known() -> Mapping[str, tuple[str, ...]]:
    """Zones by region: `us-west-2` -> (`us-west-2a`, `us-west-2b`, …)."""
    with files(__package__).joinpath("zones.csv").open(encoding="utf-8") as lines:
        return {
            row["region"]: tuple(row["region"] + letter for letter in row["letters"])
            for row in csv.DictReader(lines)
        }
