"""The one process of a lab: serves the AWS API and keeps the hosts as the API says.

Started by `client.up` as `python -m orchestrate.lab.daemon [--no-hosts]`, in a session of its
own, with its output in the lab's log. Ends on SIGTERM and leaves nothing behind.
"""

import argparse
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from orchestrate import signals
from orchestrate.caches import cache_folder
from orchestrate.errors import LabError
from orchestrate.lab import inside, own_folder, record, secret, slots
from orchestrate.lab.faults.desk import desk, no_hosts
from orchestrate.lab.faults.models import HostKind
from orchestrate.lab.faults.watch import watching
from orchestrate.lab.log_lines import LogLines
from orchestrate.lab.paths import LabFiles, lab_files
from orchestrate.lab.plan import admitted
from orchestrate.lab.record import MAX_HOSTS, LabRecord, birth, saved_slot
from orchestrate.lab.sites import register
from orchestrate.lab.sites.desk import no_sites
from orchestrate.lab.sites.models import Site
from orchestrate.lab.sites.register import Register
from orchestrate.lab.spec import AnySpec, HostKeeper
from orchestrate.lab.topology import Slot
from orchestrate.lab.vpc.models import Networks

ALREADY_RUNNING = 3  # exit code: another daemon holds this folder
PERIOD = 0.3  # seconds between looks at the hosts when no call asks for one
# AWS refuses an image, key pair or instance type it does not know; moto does when told to.
MOTO_SETTINGS = {
    "MOTO_ENABLE_AMI_VALIDATION": "true",
    "MOTO_ENABLE_KEYPAIR_VALIDATION": "true",
    "MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION": "true",
}

log = logging.getLogger("lab")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a lab until SIGTERM or SIGINT; returns the exit code."""
    parser = argparse.ArgumentParser(prog="orchestrate.lab.daemon", description=__doc__)
    parser.add_argument("--max-hosts", type=int, default=MAX_HOSTS)
    parser.add_argument("--no-hosts", metavar="WHY", nargs="?", const="", default=None)
    wanted = parser.parse_args(arguments)
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(LogLines())
    logging.basicConfig(level=logging.INFO, handlers=[lines])
    files = lab_files()
    own_folder.make(files)
    with contextlib.ExitStack() as held:
        if not held.enter_context(slots.held(files.lock)):
            return ALREADY_RUNNING
        before = record.read(files.record)
        last = before.slot if before else saved_slot(files.cloud)
        slot = held.enter_context(slots.take(last))
        daemon = Daemon(files, slot, hosts=wanted.no_hosts is None, why=wanted.no_hosts or "")
        daemon.run(wanted.max_hosts)
    return 0


class Daemon:
    """A lab from its first to its last moment. `run` is the whole story."""

    def __init__(self, files: LabFiles, slot: int, hosts: bool, why: str) -> None:
        self.files = files
        self.stop = threading.Event()
        self.changed = threading.Event()
        self.keeper: HostKeeper | None = _keeper(slot, files) if hosts else None
        self.begun = time.monotonic()
        self._noting = threading.Lock()
        self.record = LabRecord(
            os.getpid(),
            birth(os.getpid()),
            "",
            slot,
            "loading the AWS API",
            hosts,
            why,
            folder=str(files.folder),
        )
        self.sites = _register(slot, files)

    def run(self, max_hosts: int) -> None:
        """Sweep, serve, prepare, keep; then take everything down again."""
        with signals.heard((signal.SIGTERM, signal.SIGINT), self._stopping):
            self._run(max_hosts)

    def _run(self, max_hosts: int) -> None:
        self._note(max_hosts=max_hosts)
        os.environ.update(MOTO_SETTINGS)
        from orchestrate.lab.api import start_api

        slot, files, own = self.record.slot, self.files, secret.read(self.files)
        with start_api(
            slot, self.changed.set, self.status, own, files.cloud, self.order_sites
        ) as self.api:
            if not (self.api.restored and record.cloud_id(self.files)):
                record.begin_cloud(self.files)
            if self.keeper:
                # What the last lab with this slot may have left: its hosts boot from their disks.
                self.keeper.sweep(keep_disks=self.api.restored)
            self.changed.set()
            self._note(endpoint=self.api.endpoint)
            try:
                groups = (self.api.launch_missing, self.api.replace_unhealthy)
                with watching(lambda: self.keeper, *groups):
                    self._prepare()
                    self._note(stage="ready", moved=self.sites.moved() if self.keeper else {})
                    self._keep()
            finally:
                self._take_down()

    def _stopping(self) -> None:
        self.stop.set()
        self.changed.set()

    def _note(self, **news: object) -> None:
        with self._noting:
            before = self.record
            self.record = replace(before, **news)  # type: ignore[arg-type]
            record.write(self.files.record, self.record)
        if self.record.stage != before.stage:
            log.info("%s", self.record.stage)

    def _prepare(self) -> None:
        if not self.keeper:
            return
        self.keeper.attach(self.api)
        desk.find_host = self._find_host
        try:
            self.keeper.prepare(lambda step: self._note(stage=step))
            if not self.api.restored:
                self.api.offer(self.keeper.kept_images())
            self.api.use_hosts(self.keeper)
        except LabError as error:
            log.exception("no hosts")
            self.keeper.sweep()
            self.keeper = None
            desk.find_host = no_hosts
            self._note(hosts=False, why_no_hosts=error.what)

    def _keep(self) -> None:
        if self.keeper is None:
            self.stop.wait()
            return
        specs: Sequence[AnySpec] = ()
        networks = Networks()
        leaving = False
        while True:
            self.api.end_interrupted()
            changed = self.changed.wait(PERIOD)
            if self.stop.is_set():
                return
            if changed or leaving:
                self.changed.clear()
                having = self.keeper.states().keys()
                racks = self.sites.specs(having)
                # Who takes another's place comes when that one is gone.
                leaving = any(rack.state == "terminated" for rack in racks)
                instances, networks = self.api.desired()
                specs = admitted([*racks, *instances], having, self.record.max_hosts)
            self._reconcile(self.keeper, specs, networks)

    def _reconcile(self, keeper: HostKeeper, specs: Sequence[AnySpec], networks: Networks) -> None:
        try:
            keeper.reconcile(specs, networks)
        except Exception:  # the loop outlives whatever goes wrong with one look
            log.exception("reconcile")

    def order_sites(self, sites: Sequence[Site]) -> None:
        """Have the racks of these sites and no others. Raises LabError."""
        if self.keeper is None:
            no_sites(sites)
            return
        self.sites.order(sites)
        self._note(moved=self.sites.moved())
        self.changed.set()

    def _find_host(self, name: str, kind: HostKind) -> str:
        """The id of the host that a fault is to befall, by any of its names. Raises LabError."""
        found = inside.find_for_fault(self.status(), name, kind)
        if kind == "interrupt":
            self.api.refuse_steady(found)
        return found

    def _take_down(self) -> None:
        self._note(stage="going down")
        if self.keeper:
            self.keeper.sweep(keep_disks=True)
        self.files.record.unlink(missing_ok=True)

    def status(self) -> dict[str, object]:
        """What `lab status` shows, as plain data."""
        states = self.keeper.states() if self.keeper else {}
        return {
            "endpoint": self.record.endpoint,
            "pid": self.record.pid,
            "slot": self.record.slot,
            "stage": self.record.stage,
            "uptime_s": round(time.monotonic() - self.begun),
            "real_hosts": self.record.hosts,
            "why_no_hosts": self.record.why_no_hosts,
            "max_hosts": self.record.max_hosts,
            "racks": self.sites.listing(states) if self.keeper else [],
            **self.api.overview(states),
        }


def _register(slot: int, files: LabFiles) -> Register:
    seed = register.seed(cache_folder() / "rack-keys.seed")
    public_key = files.public_key.read_text() if files.public_key.exists() else ""
    return Register(files.sites, Slot(slot), public_key, seed)


def _keeper(slot: int, files: LabFiles) -> HostKeeper:
    from orchestrate.lab.hosts import Hosts

    return Hosts(slot, files.folder)


if __name__ == "__main__":
    sys.exit(main())
