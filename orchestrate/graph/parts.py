"""The small parts of a picture: chips, rows, subnets, machines. Pure; each is made at (0, 0)."""

from collections.abc import Sequence

from orchestrate.graph.outline import group_detail, group_size
from orchestrate.graph.shapes import Box, Icon, Label, fit, in_row, text_width
from orchestrate.graph.topology import DoorView, GroupView, MachineView, ZoneView

PAD = 12
ROW = 28
GROUP_ROW = 46
CHIP = 18
ICON = 16
# Characters of the longest range there is: 255.255.255.255/32.
RANGE_WIDTH = text_width("255.255.255.255/32"[:15], "range")
NAT_WIDTH = text_width("NAT", "chip") + 12
PUBLIC_WIDTH = RANGE_WIDTH + NAT_WIDTH + 26
PRIVATE_WIDTH = RANGE_WIDTH + 20
CELL_GAP = 8


def chip(text: str, kind: str, title: str = "") -> Box:
    """A small rounded word."""
    width = text_width(text, "chip") + 14
    label = Label(width / 2, 12.5, text, "chip", "middle", kind)
    return Box(0, 0, width, CHIP, kind, (label,), title=title)


def icon_chip(icon: str, text: str, kind: str, title: str = "") -> Box:
    """A word with its symbol, as high as a row."""
    width = 8 + ICON + 6 + text_width(text, "body") + 10
    label = Label(8 + ICON + 6, 17, text, "body", colour=kind)
    return Box(0, 0, width, 26, kind, (label,), (Icon(8, 5, icon),), title=title)


def zone_width(zones: Sequence[str]) -> float:
    return max((text_width(zone, "range") for zone in zones), default=0)


def zone_row(zone: ZoneView, name_width: float) -> Box:
    """A zone's name and its two subnets."""
    public = Box(
        0,
        0,
        PUBLIC_WIDTH,
        ROW - 2,
        "public",
        (Label(10, 17, fit(zone.public, "range", RANGE_WIDTH), "range", colour="public"),),
        inside=_nat() if zone.nat else (),
        title=f"public subnet of {zone.name}: {zone.public}",
    )
    private = Box(
        0,
        0,
        PRIVATE_WIDTH,
        ROW - 2,
        "private",
        (Label(10, 17, fit(zone.private, "range", RANGE_WIDTH), "range", colour="private"),),
        title=f"private subnet of {zone.name}: {zone.private}",
    )
    cells = in_row([public, private], name_width + 12, 1, CELL_GAP)
    name = Label(0, 18, zone.name, "range", colour="dim")
    return Box(0, 0, cells[-1].right, ROW, "plain", (name,), inside=tuple(cells))


def _nat() -> tuple[Box, ...]:
    nat = chip("NAT", "nat", "NAT gateway: how the private subnets reach out")
    return (nat.moved(PUBLIC_WIDTH - nat.width - 4, 4),)


def zone_captions(name_width: float) -> Box:
    """The line above the zones."""
    left = name_width + 12
    labels = (
        Label(0, 11, "zone", "note", colour="dim"),
        Label(left + 10, 11, "public subnet", "note", colour="dim"),
        Label(left + PUBLIC_WIDTH + CELL_GAP + 10, 11, "private subnet", "note", colour="dim"),
    )
    return Box(0, 0, left + PUBLIC_WIDTH + CELL_GAP + PRIVATE_WIDTH, 16, "plain", labels)


def caption(text: str, width: float) -> Box:
    """A heading of a list."""
    return Box(0, 0, width, 18, "plain", (Label(0, 13, text, "caption", colour="dim"),))


def door_row(door: DoorView, width: float) -> Box:
    """A bastion or VPN endpoint: name and type left, what it serves right."""
    left = PAD + ICON + 8
    serves = f"{door.detail} · clients {door.clients}" if door.clients else door.detail
    beside = left + text_width(door.name, "name") + 10
    right = fit(serves, "note", width - beside - PAD)
    room = width - PAD - text_width(right, "note") - 12 - beside
    labels = (
        Label(left, 18, door.name, "name"),
        Label(beside, 18, fit(door.instance_type, "note", room), "note", colour="dim"),
        Label(width - PAD, 18, right, "note", "end"),
    )
    icon = Icon(PAD, 6, "shield" if door.name == "vpn" else "terminal")
    title = f"{door.name}: {door.instance_type}, behind an elastic address"
    return Box(0, 0, width, ROW, "door", labels, (icon,), title=title)


def group_row(group: GroupView, width: float) -> Box:
    """A node group: name and how it is bought, types and zones, size and cards."""
    size = group_size(group)
    chips = [chip(f"{group.gpus} GPU", "gpu", f"{group.gpus} GPUs per host")] if group.gpus else []
    if group.capacity != "on-demand":
        chips.append(chip(group.capacity, "spot", f"bought {group.capacity}"))
    taken = sum(one.width + 6 for one in chips) + text_width(size, "body") + 2 * PAD + 14
    name = fit(group.name, "name", width - taken)
    left = PAD + 4
    placed = in_row(chips, left + text_width(name, "name") + 8, 6, 6)
    most = f"up to {group.most_gpus:,} GPUs" if group.gpus else ""
    room = width - left - PAD - text_width(most, "note") - 12
    labels = (
        Label(left, 19, name, "name"),
        Label(width - PAD, 19, size, "body", "end"),
        Label(left, 36, fit(group_detail(group), "note", room), "note", colour="dim"),
        Label(width - PAD, 36, most, "note", "end", "gpu"),
    )
    bar = Box(0, 0, 5, GROUP_ROW, f"bar-{_colour(group)}")
    title = f"{group.name} ({group.role}): {size} of {group_detail(group)}"
    return Box(0, 0, width, GROUP_ROW, "group", _said(labels), inside=(bar, *placed), title=title)


def machine_row(machine: MachineView, width: float, *, gateway: bool) -> Box:
    """A physical host: name and role left, cards and address right."""
    right = width - PAD
    address = Label(right, 18, machine.address, "range", "end", "dim")
    edge = right - address.width - 10
    inside: tuple[Box, ...] = ()
    if machine.gpus:
        gpu = chip(f"{machine.gpus} GPU", "gpu")
        inside = (gpu.moved(edge - gpu.width, 5),)
        edge -= gpu.width + 10
    left = PAD + ICON + 8
    name = fit(machine.name, "name", edge - left)
    beside = left + text_width(name, "name") + 10
    labels = (
        Label(left, 18, name, "name"),
        Label(beside, 18, fit(machine.role, "note", edge - beside), "note", colour="dim"),
        address,
    )
    icon = Icon(PAD, 6, "router" if gateway else "server")
    title = f"{machine.name}: {machine.role}, {machine.address}"
    return Box(0, 0, width, ROW, "machine", _said(labels), (icon,), inside, title)


def range_row(name: str, net: str, width: float) -> Box:
    """A named range: a LAN, the pods, the services."""
    given = Label(width, 16, net, "range", "end")
    labels = (
        Label(0, 16, fit(name, "body", width - given.width - 10), "body", colour="dim"),
        given,
    )
    return Box(0, 0, width, 22, "plain", labels)


def _colour(group: GroupView) -> str:
    if group.gpus:
        return "gpu"
    return "adhoc" if group.role == "ssh-node" else "cpu"


def _said(labels: Sequence[Label]) -> tuple[Label, ...]:
    return tuple(label for label in labels if label.text)
