"""Converging 20 lab hosts behind a bastion, nothing to change, beside plain Fabric and pyinfra.

All three run the same client on the same hosts with the same cookbook, in turns, as programs from
nothing to their last word, 20 hosts at once; so what differs is how they reach a host, and what
`orchestrate` does besides: it looks the hosts up in AWS, packs and compares the cookbooks, reads
each host's report and keeps a log of it. Fabric gets one connection to the bastion that all share,
pyinfra an OpenSSH configuration with ProxyJump. Then the way alone: one small command on each host,
by the function that `apply` asks hosts with, beside Fabric's group in the same process.
"""

import json
import sys
import venv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from fabric import Connection, ThreadingGroup

from benchmarks.measure import Measurement, Side, in_turns, program
from benchmarks.verify import twenty_hosts
from orchestrate import shell
from orchestrate.caches import cache_folder
from orchestrate.hosts import host_keys, standing
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh import Connections
from orchestrate.hosts.ssh_config import Access, ssh_config
from tests.lab.small_cluster import BASTION, GROUP, SmallCluster, chef_folder

HOSTS, ROUNDS = 20, 3
# What either takes for the same work.
TARGET = 1.0
PYINFRA = "3.10.0"
RECIPE = "file '/srv/greeting' do\n  content 'hello'\n  mode '0644'\nend\n"
NOOP = (
    "sudo ORCHESTRATE_STAND_IN=1 sh -c "
    "'exec sh /var/lib/orchestrate/configuration/*/client/converge.sh >/dev/null'"
)
FABRIC = """
import json, sys
from fabric import Config, Connection, ThreadingGroup

given = json.loads(sys.argv[1])
keys = {"key_filename": given["key"], "allow_agent": False, "look_for_keys": False}
bastion = Connection(given["bastion"], user="admin", connect_kwargs=keys)
bastion.open()
group = ThreadingGroup.from_connections(
    Connection(address, user="admin", gateway=bastion, connect_kwargs=keys)
    for address in given["hosts"]
)
group.run(given["command"], hide=True)
"""


def measure() -> Iterator[Measurement]:
    """Seconds of each, and ours as a multiple of theirs."""
    with twenty_hosts() as (cluster, found):
        # Read back from JSON its time is text; these have booted anyway.
        hosts = [replace(host, launched=None) for host in found]
        (bastion,) = (host for host in hosts if host.name == BASTION)
        workers = [host for host in hosts if host.name != BASTION]
        _prepare(cluster)
        yield from _whole(cluster, bastion, workers)
        yield from _way_alone(cluster, bastion, workers)


def _prepare(cluster: SmallCluster) -> None:
    chef_folder(cluster.root, {"default": RECIPE}, ["bastion", "cpu-worker"])
    # Who logs in to the bastion once a host must not be turned away: that would be no comparison.
    limit = "echo MaxStartups 100 | sudo tee /etc/ssh/sshd_config.d/bench.conf"
    cluster.says(BASTION, f"{limit} && sudo systemctl reload ssh")
    cluster.orchestrate("converge", GROUP)


def _whole(cluster: SmallCluster, bastion: Host, workers: Sequence[Host]) -> Iterator[Measurement]:
    ours = partial(cluster.orchestrate, "converge", GROUP, "--parallel", str(HOSTS))
    key = cluster.account.lab.files.identity
    given = {
        "key": str(key),
        "bastion": bastion.public_ip,
        "hosts": [host.private_ip for host in workers],
        "command": NOOP,
    }
    fabric = program(sys.executable, "-c", FABRIC, json.dumps(given))
    # In a folder of its own: where it fails it leaves a log there.
    pyinfra = program(
        *("env", "-C", cluster.root, _pyinfra(), _inventory(cluster, bastion, workers)),
        *("--parallel", HOSTS, "-y", "exec", "--", NOOP),
    )
    sides = {"orchestrate": Side(ours), "Fabric": Side(fabric), "pyinfra": Side(pyinfra)}
    yield from _compared(f"{HOSTS} hosts converge, nothing to change", in_turns(ROUNDS, sides))


def _way_alone(
    cluster: SmallCluster, bastion: Host, workers: Sequence[Host]
) -> Iterator[Measurement]:
    files = cluster.account.lab.files
    by_name = {host.name: host for host in (bastion, *workers)}
    access = Access(cluster.root / "known_hosts", files.identity)
    keys = {"key_filename": str(files.identity), "allow_agent": False, "look_for_keys": False}

    def ours() -> None:
        with Connections(by_name, access) as ways:
            told = standing.ask(ways, workers, HOSTS)
        assert all(isinstance(one, standing.Converged) for one in told.values()), told

    def fabric() -> None:
        door = Connection(bastion.public_ip, user="admin", connect_kwargs=keys)
        door.open()
        with ThreadingGroup.from_connections(
            Connection(host.private_ip, user="admin", gateway=door, connect_kwargs=keys)
            for host in workers
        ) as group:
            group.run(standing.COMMAND, hide=True, in_stream=False)
        door.close()

    taken = in_turns(ROUNDS, {"orchestrate": Side(ours), "Fabric": Side(fabric)})
    assert len(host_keys.read(access.known_hosts)) == HOSTS + 1
    yield from _compared(f"one command on {HOSTS} hosts", taken)


def _compared(what: str, taken: dict[str, float]) -> Iterator[Measurement]:
    for name, seconds in taken.items():
        yield Measurement(f"{what}: {name}", seconds, "s", note=f"{seconds / HOSTS:.2f} s a host")
    ours = taken["orchestrate"]
    for name, seconds in taken.items():
        if name != "orchestrate":
            yield Measurement(f"{what}: orchestrate / {name}", ours / seconds, "x", TARGET)


def _inventory(cluster: SmallCluster, bastion: Host, workers: Sequence[Host]) -> Path:
    """pyinfra's inventory: names that its OpenSSH configuration knows the way to."""
    known_hosts = cluster.root / "pyinfra_known_hosts"
    config = cluster.root / "pyinfra_ssh_config"
    access = Access(known_hosts, cluster.account.lab.files.identity)
    config.write_text(ssh_config([bastion, *workers], access))
    data = {
        "ssh_user": "admin",
        "ssh_key": str(access.identity),
        "ssh_config_file": str(config),
        "ssh_known_hosts_file": str(known_hosts),
        "ssh_strict_host_key_checking": "accept-new",
    }
    path = cluster.root / "inventory.py"
    path.write_text(f"workers = {[(host.name, data) for host in workers]!r}\n")
    return path


def _pyinfra() -> Path:
    """pyinfra in an environment of its own, made when it is first needed."""
    folder = cache_folder() / f"pyinfra-{PYINFRA}"
    program = folder / "bin" / "pyinfra"
    if not program.exists():
        venv.create(folder, clear=True, with_pip=True)
        shell.run([str(folder / "bin" / "pip"), "install", "-q", f"pyinfra=={PYINFRA}"])
    return program
