"""What the colours and lines of a picture mean. Pure."""

from orchestrate.graph.parts import chip
from orchestrate.graph.shapes import Box, Label, flowed, text_width
from orchestrate.graph.topology import Topology

SAMPLE = 26
HEIGHT = 20


def legend(shown: Topology, width: float) -> Box:
    """One entry for everything that appears, flowing into rows."""
    entries = flowed([_entry(*one) for one in _wanted(shown)], 0, 0, width, 12)
    height = max((entry.bottom for entry in entries), default=0)
    return Box(0, 0, width, height, "plain", inside=tuple(entries))


def _wanted(shown: Topology) -> list[tuple[str, str]]:
    groups = [group for cluster in shown.clusters for group in cluster.groups]
    entries = [
        ("public", "public subnet", bool(shown.clusters)),
        ("private", "private subnet", bool(shown.clusters)),
        ("nat", "NAT gateway", any(z.nat for c in shown.clusters for z in c.zones)),
        ("bar-cpu", "CPU", any(not g.gpus and g.role != "ssh-node" for g in groups)),
        ("bar-gpu", "GPU", bool(shown.most_gpus)),
        ("bar-adhoc", "ad-hoc SSH nodes", any(g.role == "ssh-node" for g in groups)),
        ("spot", "spot or mixed", any(g.capacity != "on-demand" for g in groups)),
        ("efs", "EFS file system", any(c.filesystems for c in shown.clusters)),
        ("s3", "S3 bucket", any(c.buckets for c in shown.clusters)),
        ("line-peering", "VPC peering", bool(shown.mesh)),
        ("line-planned", "site VPN, planned", bool(shown.site_links)),
    ]
    return [(kind, text) for kind, text, appears in entries if appears]


def _entry(kind: str, text: str) -> Box:
    width = SAMPLE + 8 + text_width(text, "note") + 6
    sample = Box(0, 3, SAMPLE, HEIGHT - 6, kind)
    if kind == "nat":
        word = chip("NAT", "nat")
        sample = word.moved(0, 1)
    label = Label(sample.right + 8, 14, text, "note", colour="dim")
    return Box(0, 0, max(width, label.x + label.width), HEIGHT, "plain", (label,), inside=(sample,))
