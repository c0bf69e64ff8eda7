"""Remove what a lab put on this machine, whoever made it and however that ended.

Finds everything by what only this slot's things have: its control groups, and names that begin
with its prefix. Safe at any time, twice, and where there is nothing.
"""

import shutil

from orchestrate.lab import cgroups, container, namespaces
from orchestrate.lab.topology import Slot


def end_hosts(slot: Slot) -> None:
    """End every process of the slot's hosts, nspawn included. Raises LabError if one stays."""
    cgroups.kill(cgroups.of_lab(slot.prefix))


def sweep(slot: Slot) -> None:
    """Remove the slot's processes, mounts, namespaces, links, routes and control groups.

    Mounts go with the processes that see them, routes with their links. Raises LabError or
    CommandFailed when something stays.
    """
    end_hosts(slot)
    cgroups.remove_lab(slot.prefix)
    for link in namespaces.links(slot.prefix):
        namespaces.remove_link(link)
    namespaces.remove(namespaces.named(slot.prefix))
    namespaces.close_folder()
    for folder in container.PROPAGATE.glob(f"{slot.prefix}*"):
        shutil.rmtree(folder, ignore_errors=True)
