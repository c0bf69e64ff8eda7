"""The sites a lab was asked to have, on disk for the next daemon, and their hosts' specs."""

import hmac
import json
import logging
import os
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrate.lab import own_folder
from orchestrate.lab.sites.models import Site, Uplink, document, site_of
from orchestrate.lab.spec import HostState, RackSpec
from orchestrate.lab.topology import Slot

SEED_BYTES = 32

log = logging.getLogger("lab.sites")


class Register:
    """The sites of one lab. Safe between threads.

    `public_key` is the operator's, one OpenSSH line; from `seed` come the racks' own host keys.
    """

    def __init__(self, file: Path, slot: Slot, public_key: str, seed: bytes) -> None:
        self._file = file
        self._slot = slot
        self._public_key = public_key
        self._seed = seed
        self._sites, self._numbers = _read(file)
        self._installed: dict[str, RackSpec] = {}
        self._lock = threading.Lock()

    def order(self, sites: Sequence[Site]) -> None:
        """Have these sites from now on and no others."""
        with self._lock:
            self._sites = tuple(sites)
            self._numbers = numbered([site.name for site in sites], self._numbers)
            held = {"sites": [document(site) for site in sites], "numbers": self._numbers}
            own_folder.write(self._file, json.dumps(held, indent=1) + "\n")

    def specs(self, having: Collection[str]) -> list[RackSpec]:
        """The racks as they should be now; `having` are the hosts there are."""
        with self._lock:
            wanted = {spec.instance_id: spec for site in self._sites for spec in self._racks(site)}
            specs, self._installed = settle(self._installed, wanted, having)
            return specs

    def moved(self) -> dict[str, str]:
        """Each gateway's public address, with the one it is reached at from this machine."""
        with self._lock:
            return {str(site.public): str(self._uplink(site).alias) for site in self._sites}

    def listing(self, states: Mapping[str, HostState]) -> list[dict[str, str]]:
        """Each rack as `lab status` shows it, with its host's state from `states`."""
        with self._lock:
            racks = [spec for site in self._sites for spec in self._racks(site)]
        return [row(spec, states.get(spec.instance_id)) for spec in racks]

    def _racks(self, site: Site) -> list[RackSpec]:
        lans = {lan.name: lan for lan in site.lans}
        return [
            RackSpec(
                instance_id=f"{rack.name}.{site.name}",
                site=site.name,
                hostname=rack.name,
                private_ip=rack.address,
                lan=lans[rack.lan],
                resolver=self._slot.services_address,
                user=site.login,
                public_key=self._public_key,
                host_key=hmac.digest(self._seed, f"{rack.name}.{site.name}".encode(), "sha256"),
                uplink=self._uplink(site) if rack.name == site.gateway else None,
            )
            for rack in site.racks
        ]

    def _uplink(self, site: Site) -> Uplink:
        # From the end of the lab's range: elastic addresses are given from its beginning.
        alias = self._slot.public[-2 - self._numbers[site.name]]
        return Uplink(site.public, alias, site.lans)


def row(spec: RackSpec, host: HostState | None) -> dict[str, str]:
    """One rack of `Register.listing`. Pure."""
    return {
        "name": spec.instance_id,
        "site": spec.site,
        "private_ip": str(spec.private_ip),
        "public_ip": str(spec.uplink.public) if spec.uplink else "",
        "reached_at": str(spec.uplink.alias) if spec.uplink else "",
        "host": host.state if host else "",
        "detail": host.detail if host else "",
    }


def settle(
    installed: Mapping[str, RackSpec], wanted: Mapping[str, RackSpec], having: Collection[str]
) -> tuple[list[RackSpec], dict[str, RackSpec]]:
    """What each host should be now, and what is installed if that is done. Pure.

    A host that goes, or is another than before, is first taken away: a rack whose address or LAN
    changed is installed anew.
    """
    specs, kept = [], {}
    for name in {**installed, **wanted}:
        before, after = installed.get(name), wanted.get(name)
        if before is not None and before != after and name in having:
            specs.append(replace(before, state="terminated"))
            kept[name] = before
        elif after is not None:
            specs.append(after)
            kept[name] = after
    return specs, kept


def numbered(names: Sequence[str], before: Mapping[str, int]) -> dict[str, int]:
    """A number for each site, which it keeps as long as it is there. Pure."""
    numbers = {name: before[name] for name in names if name in before}
    for name in names:
        free = next(n for n in range(len(names) + 1) if n not in numbers.values())
        numbers.setdefault(name, free)
    return numbers


def seed(file: Path) -> bytes:
    """What racks' SSH host keys are made from, the same for all labs: metal keeps its keys."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        pass
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
        opened.write(os.urandom(SEED_BYTES))
    try:
        os.link(fresh, file)  # whoever is second takes the first one's
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return file.read_bytes()


def _read(file: Path) -> tuple[tuple[Site, ...], dict[str, int]]:
    try:
        held: dict[str, Any] = json.loads(file.read_text())
        sites = tuple(site_of(one) for one in held["sites"])
        return sites, numbered([site.name for site in sites], held["numbers"])
    except FileNotFoundError:
        return (), {}
    except (ValueError, KeyError, TypeError) as error:  # written by another version
        log.warning("%s: not read, so there are no sites: %s", file, error)
        return (), {}
