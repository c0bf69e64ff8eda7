"""The lab's AWS API as the daemon uses it: start it, and read what it holds.

Importing this imports moto, which reads its settings from the environment while imported.
"""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

from orchestrate.caches import cache_folder
from orchestrate.hosts.inventory import names_of
from orchestrate.lab import (
    api_door,
    api_names,
    census,
    gate,
    identities,
    lifecycle,
    saved_cloud,
    shutdowns,
    zones,
)
from orchestrate.lab.aws_server import LabApi
from orchestrate.lab.certificates import AUTHORITY, server_context
from orchestrate.lab.cloud import Server
from orchestrate.lab.gaps import autoscaling, baked_images, close_gaps, hosts, scaling_processes
from orchestrate.lab.gaps.addresses import use_slot
from orchestrate.lab.http_server import HttpServer
from orchestrate.lab.identity import Identity
from orchestrate.lab.incidents import counted
from orchestrate.lab.kept_images import KeptImage
from orchestrate.lab.names import Names
from orchestrate.lab.quick import quicken
from orchestrate.lab.secret import LabSecret
from orchestrate.lab.shutdowns import NOTICE
from orchestrate.lab.sites.desk import Order, no_sites
from orchestrate.lab.spec import HostKeeper, HostSpec, HostState
from orchestrate.lab.topology import Slot
from orchestrate.lab.vpc.models import Networks
from orchestrate.lab.vpc.read import desired_networks


class RunningApi:
    """A served API; every reading holds its lock, so that no request is half done."""

    restored = False  # whether it holds what an earlier daemon's did

    def __init__(self, endpoint: str, api: LabApi, changed: Callable[[], None], slot: int) -> None:
        self.endpoint = endpoint
        self._api = api
        self._lock = api.lock
        self._changed = changed
        self._regions = sorted(region.name for region in RegionsAndZonesBackend.regions)
        self._own_names = api_names.zones(Slot(slot).services_address, self._regions)
        self._looked: scaling_processes.Look = {}

    def desired(self) -> tuple[list[HostSpec], Networks]:
        """What there should be: every instance, and the networks between them."""
        with self._lock:
            specs = lifecycle.desired_hosts()
            return specs, desired_networks(specs)

    def use_hosts(self, keeper: HostKeeper) -> None:
        """Have instances answered for by their hosts; once these are prepared."""
        with self._lock:
            hosts.use_hosts(keeper)

    def offer(self, images: Sequence[KeptImage]) -> None:
        """Have images that earlier labs kept."""
        if not images:
            return
        with self._lock:
            baked_images.offer(images)
        self._changed()

    def layers(self) -> set[str]:
        """See `cloud.Cloud`."""
        with self._lock:
            return baked_images.layers_in_use()

    def identity(self, region: str, instance_id: str) -> Identity | None:
        """See `cloud.Cloud`."""
        with self._lock:
            return identities.identity(region, instance_id)

    def names(self, vpc_id: str) -> Names:
        """See `cloud.Cloud`."""
        with self._lock:
            known = zones.names(vpc_id)
        return Names(known.private, [*known.public, *self._own_names])

    def serve(self, listening: socket.socket) -> Server:
        """See `cloud.Cloud`."""
        context = server_context(cache_folder() / AUTHORITY, api_names.certified(self._regions))
        return api_door.server(listening, self._api, self._api.may_be_long, context)

    def powered_off(self, region: str, instance_id: str) -> None:
        """See `cloud.Cloud`."""
        with self._lock:
            shutdowns.from_inside(region, instance_id)
        self._changed()

    def interrupt(self, region: str, instance_id: str, notice: timedelta = NOTICE) -> None:
        """Take a spot instance back after `notice`. Raises LabError for what is none."""
        with self._lock:
            shutdowns.interrupt(region, instance_id, notice)

    def end_interrupted(self) -> None:
        """Terminate the spot instances whose time is up."""
        with self._lock:
            ended = shutdowns.end_interrupted(datetime.now(UTC))
        if ended:
            self._changed()

    def launch_missing(self) -> None:
        """Let groups that could not launch, for a fault, try again."""
        with self._lock:
            launched = autoscaling.launch_missing()
        if launched:
            self._changed()

    def replace_unhealthy(self) -> None:
        """Let groups replace members that fail their health check."""
        with self._lock:
            self._looked, replaced = scaling_processes.replace_unhealthy(
                self._looked, datetime.now(UTC)
            )
        if replaced:
            self._changed()

    def refuse_steady(self, instance_id: str) -> None:
        """Raise LabError unless this is a running spot instance, which AWS may take back."""
        with self._lock:
            specs = {spec.instance_id: spec for spec in lifecycle.desired_hosts()}
            shutdowns.running_spot(specs[instance_id].region, instance_id)

    def overview(self, states: Mapping[str, HostState]) -> dict[str, Any]:
        """`counts` per service and `instances`, each with its host's state from `states`."""
        with self._lock:
            counts, specs = census.count(), lifecycle.desired_hosts()
        living = [spec for spec in specs if spec.state != "terminated"]
        instances = [_row(spec, states) for spec in living]
        return {"counts": counts, "instances": instances, "api": self._api.incidents.told()}


def _names(spec: HostSpec) -> list[str]:
    """What people may call a host: its tag `Name`, and what `orchestrate hosts` calls it."""
    given = spec.tags.get("Name", "")
    return list(dict.fromkeys(filter(None, (given, *names_of(spec.instance_id, spec.tags)))))


def _row(spec: HostSpec, states: Mapping[str, HostState]) -> dict[str, Any]:
    host = states.get(spec.instance_id)
    return {
        "instance_id": spec.instance_id,
        "name": spec.tags.get("Name", ""),
        "names": _names(spec),
        "region": spec.region,
        "private_ip": str(spec.private_ip),
        "public_ip": str(spec.public_ip or ""),
        "state": spec.state,
        "host": host.state if host else "",
        "detail": host.detail if host else "",
    }


@contextlib.contextmanager
def start_api(
    slot: int,
    changed: Callable[[], None],
    status: Callable[[], Mapping[str, Any]],
    secret: LabSecret,
    file: Path | None = None,
    order_sites: Order = no_sites,
) -> Iterator[RunningApi]:
    """Serve the API while inside, to who has credentials of `secret` or that the API gave out.

    `changed` is called after every call that may move hosts.

    What it holds is read from `file`, and kept there. `order_sites` is asked for a fleet's racks.
    """
    use_slot(slot)
    close_gaps()
    quicken()
    with counted() as incidents:
        api = LabApi(changed, status, order_sites, incidents, secret)

        def moved() -> None:
            api.wrote()
            changed()

        with _serving(api) as port:
            running = RunningApi(f"http://127.0.0.1:{port}", api, moved, slot)
            with _saving(api, running, file, slot) if file else contextlib.nullcontext():
                yield running


@contextlib.contextmanager
def _serving(api: LabApi) -> Iterator[int]:
    """Answer on a free loopback port, this one, while inside."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    known = gate.loopback(listening.getsockname()[1])
    server = HttpServer(listening, gate.guarded(api, known), api.may_be_long)
    threading.Thread(target=server.serve_forever, name="api", daemon=True).start()
    try:
        yield server.server_port
    finally:
        api.closing.set()
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def _saving(api: LabApi, running: RunningApi, file: Path, slot: int) -> Iterator[None]:
    with api.lock:
        running.restored = saved_cloud.restore(file, slot)
    saver = saved_cloud.Saver(file, slot, api.lock)
    api.wrote = saver.touch
    try:
        yield
    finally:
        saver.close()
