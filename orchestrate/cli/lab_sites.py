"""The sites of the fleet one is in, and the lab's racks for them."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ipaddress import IPv4Network

    from orchestrate.cli.context import Context
    from orchestrate.lab.record import LabRecord
    from orchestrate.lab.sites.models import Site


def have_racks(lab: "LabRecord") -> str:
    """Bring the lab's racks in line with the fleet; a line that says so, "" outside of any.

    A fleet that is not valid leaves them as they are: a lab must come up without one.
    """
    from orchestrate.cli.context import Context, find_root
    from orchestrate.errors import OrchestrateError
    from orchestrate.lab.client import order_sites
    from orchestrate.lab.sites.models import document

    try:
        context = Context(find_root(click.get_current_context().find_root().obj))
    except OrchestrateError:
        return ""
    try:
        sites = _sites(context)
    except OrchestrateError:
        return "as they were: the fleet is not valid, see `orchestrate check`"
    order_sites(lab, [document(site) for site in sites])
    names = ", ".join(f"{len(site.racks)} of {site.name}" for site in sites)
    return f"{names}; they boot meanwhile" if names else "none: the fleet has no site with hosts"


def _sites(context: "Context") -> "list[Site]":
    """As the fleet says now, with ranges that are not in the ledger yet. Raises InvalidInput."""
    from orchestrate import clock
    from orchestrate.fleet import ranges
    from orchestrate.ipam import ledger
    from orchestrate.lab.sites.order import sites

    fleet = context.fleet
    path = context.fleet_folder / ledger.NAME
    given = ledger.preview(path, fleet, clock.today()).after.allocations
    lans: dict[tuple[str, str], IPv4Network] = {
        (site.name, lan): given[ranges.lan(site.name, lan)]
        for site in fleet.sites.values()
        for lan in site.lans
    }
    return sites(fleet.sites, lans)
