"""Where the command line asks for sites: a private path of the daemon's API."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from orchestrate.errors import LabError
from orchestrate.lab.sites.models import Site, site_of

SITES_PATH = "/_lab/sites"
Order = Callable[[Sequence[Site]], None]


def no_sites(sites: Sequence[Site]) -> None:
    """The order to a lab without hosts. Raises LabError."""
    if sites:
        raise LabError("the lab has no real hosts, so no racks", fix="orchestrate lab status")


def answer(order: Order, body: bytes) -> tuple[int, dict[str, Any]]:
    """HTTP status and document, for a POST that holds all sites there should be."""
    try:
        sites = [site_of(one) for one in json.loads(body)["sites"]]
        order(sites)
    except LabError as error:
        return 400, {"error": error.what, "fix": error.fix}
    except (ValueError, TypeError, KeyError) as error:
        return 400, {"error": f"not understood: {error}", "fix": ""}
    return 200, {"sites": [site.name for site in sites]}
