"""A site as a panel: its gateway, LANs and racks. Pure."""

from dataclasses import replace

from orchestrate.graph.parts import caption, machine_row, range_row
from orchestrate.graph.shapes import Box, Icon, Label, bottom, fit, stacked, text_width
from orchestrate.graph.topology import MachineView, SiteView

PAD = 16
HEADER = 76
LANS_WIDTH = 230
RACK_LEAST = 346
RACK_GAP = 14


def least_width(site: SiteView) -> float:
    return 2 * PAD + LANS_WIDTH + len(site.racks) * (RACK_GAP + RACK_LEAST)


def panel(site: SiteView, width: float) -> Box:
    """The site's panel at (0, 0), its racks sharing what width is left."""
    gateway = _gateway(site)
    gateway = gateway.moved(width - PAD - gateway.width, PAD)
    room = gateway.x - 2 * PAD
    labels = (
        Label(PAD, 28, fit(site.name, "heading", room), "heading"),
        Label(PAD, 46, fit(site.domain, "note", room), "note", colour="site-name"),
        Label(PAD, 62, fit(site.description, "note", room), "note", colour="dim"),
    )
    inside = [_ranges(site).moved(PAD, HEADER), *_racks(site, width)]
    height = bottom(inside, HEADER) + PAD
    return Box(0, 0, width, height, "site", labels, inside=(gateway, *inside))


def gateway_of(box: Box) -> Box:
    """The gateway's box in a site's panel."""
    return next(one for one in box.inside if one.kind == "gateway")


def _gateway(site: SiteView) -> Box:
    width = (
        44 + max(text_width(site.gateway, "name"), text_width(site.public_address, "range")) + PAD
    )
    labels = (
        Label(44, 20, site.gateway, "name"),
        Label(44, 36, site.public_address, "range", colour="dim"),
    )
    title = f"{site.gateway}: the site's gateway, seen as {site.public_address}"
    return Box(0, 0, width, 46, "gateway", labels, (Icon(16, 15, "router"),), title=title)


def _ranges(site: SiteView) -> Box:
    lans = [range_row(name, net, LANS_WIDTH) for name, net in site.lans.items()]
    kubernetes = [("pods", site.pods), ("services", site.services)]
    upper = stacked([caption("LANs", LANS_WIDTH), *lans], 0, 8, 0)
    rows = [range_row(name, net, LANS_WIDTH) for name, net in kubernetes]
    lower = stacked([caption("Kubernetes", LANS_WIDTH), *rows], 0, upper[-1].bottom + 10, 0)
    inside = [*upper, *lower]
    return Box(0, 0, LANS_WIDTH, inside[-1].bottom, "plain", inside=tuple(inside))


def _racks(site: SiteView, width: float) -> list[Box]:
    if not site.racks:
        return []
    left = PAD + LANS_WIDTH + RACK_GAP
    each = (width - PAD - left + RACK_GAP) / len(site.racks) - RACK_GAP
    racks = [_rack(name, machines, site.gateway, each) for name, machines in site.racks.items()]
    tallest = max(rack.height for rack in racks)
    return [
        replace(rack, height=tallest).moved(left + number * (each + RACK_GAP), HEADER)
        for number, rack in enumerate(racks)
    ]


def _rack(name: str, machines: tuple[MachineView, ...], gateway: str, width: float) -> Box:
    rows = [
        machine_row(machine, width - 20, gateway=machine.name == gateway) for machine in machines
    ]
    inside = stacked([caption(f"rack {name}", width - 20), *rows], 10, 8, 4)
    return Box(0, 0, width, inside[-1].bottom + 10, "rack", inside=tuple(inside))
