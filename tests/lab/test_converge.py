"""Real hosts behind a bastion, converged: S17, S18, S19, and what goes wrong on the way.

The cookbook is tiny, the client the one that is shipped to every host. The tests go through the
life of one cluster in the order of this file; the last one locks a host up for good.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import LabFolder
from tests.lab.patience import PATIENCE_S
from tests.lab.small_cluster import BASTION, CLUSTER, SmallCluster, build, chef_folder

pytestmark = pytest.mark.hosts

WORKERS = 5
RECIPE = "chef/cookbooks/fixture/recipes/default.rb"
GREETING = """\
file '/srv/greeting' do
  content "hello from #{node['orchestrate']['hostname']}\\n"
  mode '0640'
end
"""
SLOW = GREETING + "\nexecute 'sleep 4'\n"
FAILS = """
execute 'false' do
  only_if { node['orchestrate']['hostname'] == '%s' }
end
"""
LOCKS_UP = """\
file '/etc/ssh/sshd_config.d/00-nobody.conf' do
  content "DenyUsers *\\n"
  only_if { node['orchestrate']['hostname'] == '%s' }
  notifies :reload, 'service[ssh]'
end

service 'ssh' do
  action :nothing
end
"""


@pytest.fixture(scope="module")
def cluster(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallCluster]:
    root = tmp_path_factory.mktemp("repository")
    made = build(lab, root, WORKERS)
    try:
        chef_folder(root, {"default": GREETING}, ["bastion", "cpu-worker"])
        made.orchestrate("hosts", "--wait", "180", CLUSTER)
        yield made
    finally:
        made.remove()


@pytest.fixture
def recipe(cluster: SmallCluster) -> Iterator[Callable[[str], object]]:
    """Write another recipe; afterwards it is the greeting again."""
    file = cluster.root / RECIPE
    yield file.write_text
    file.write_text(GREETING)


def outcomes(told: Any) -> dict[str, str]:
    return {name: host["outcome"] for name, host in told["hosts"].items()}


def log_of(cluster: SmallCluster, told: Any, host: str) -> str:
    logs: Path = cluster.root / ".orchestrate/runs" / told["run"] / "logs"
    return (logs / f"{host}.log").read_text()


def test_why_run_shows_the_difference_and_changes_nothing(cluster: SmallCluster) -> None:
    shown = cluster.orchestrate("converge", "--why-run", CLUSTER, check=False)
    assert shown.code == 2, shown
    assert f"{WORKERS + 1} would change" in shown.stdout
    assert "+hello from" in shown.stdout
    assert "fixture/recipes/default.rb:1" in shown.stdout
    # All keys were on the consoles: none had to be believed.
    assert "came with the first connection" not in shown.stdout
    assert cluster.says(cluster.names[0], "ls /srv") == ""


def test_s19_a_second_converge_changes_nothing_and_ships_nothing(cluster: SmallCluster) -> None:
    first = cluster.json("converge", CLUSTER)
    assert set(outcomes(first).values()) == {"changed"}, first
    assert first["exit_code"] == 0
    name = cluster.names[0]
    assert cluster.says(name, "sudo cat /srv/greeting") == f"hello from {name}"
    shipped = cluster.says(name, "sudo stat -c %y /var/lib/orchestrate/configuration/*")

    second = cluster.json("converge", CLUSTER)
    assert set(outcomes(second).values()) == {"unchanged"}, second
    assert set(outcomes(second)) == {BASTION, *cluster.names}
    assert cluster.says(name, "sudo stat -c %y /var/lib/orchestrate/configuration/*") == shipped
    assert "stand-in" in log_of(cluster, second, name)


def test_what_was_damaged_on_the_host_is_shipped_anew(cluster: SmallCluster) -> None:
    name = cluster.names[0]
    script = "/var/lib/orchestrate/configuration/*/client/converge.sh"
    cluster.says(name, f"sudo sh -c 'echo exit 0 | tee {script}'")
    told = cluster.json("converge", name)
    assert outcomes(told) == {name: "unchanged"}
    assert told["hosts"][name]["resources"] == 1


def test_s17_one_host_is_down_and_the_rest_converge(
    cluster: SmallCluster, recipe: Callable[[str], object]
) -> None:
    dead, *others = cluster.names
    recipe(GREETING.replace("hello", "good evening"))
    lab = cluster.account.lab
    assert lab.orchestrate("fault", "add", "network", cluster.workers[0]).code == 0
    try:
        told = cluster.json("converge", "cpu", "--connect-timeout", "0")
    finally:
        lab.orchestrate("fault", "clear")
    assert outcomes(told) == {dead: "unreachable", **dict.fromkeys(others, "changed")}
    assert "no answer within 10 s" in told["hosts"][dead]["cause"]
    assert told["exit_code"] == 1


def test_what_differs_host_by_host_has_a_cause_of_its_own(
    cluster: SmallCluster, recipe: Callable[[str], object]
) -> None:
    full, busy, changed_key, broken, fine = cluster.names
    recipe(GREETING + FAILS % broken)
    for host in (full, busy):
        cluster.says(host, "sudo mkdir -p /var/lib/orchestrate")
    cluster.says(full, "sudo mount -t tmpfs -o size=4k none /var/lib/orchestrate")
    hold = "echo ada on laptop >/var/lib/orchestrate/run.lock; exec sleep 600"
    cluster.says(
        busy,
        "sudo systemd-run --quiet --unit=hold --service-type=exec "
        f"flock /var/lib/orchestrate/run.lock sh -c '{hold}'",
    )
    known = cluster.root / ".orchestrate/ssh/lab/known_hosts"
    kept = known.read_text()
    known.write_text(with_keys_of(kept, cluster, changed_key, fine))
    try:
        told = cluster.json("converge", "cpu")
    finally:
        known.write_text(kept)
        cluster.says(full, "sudo umount /var/lib/orchestrate")
        cluster.says(busy, "sudo systemctl stop hold")
    hosts = told["hosts"]
    assert {n: h["outcome"] for n, h in hosts.items() if n != fine} == dict.fromkeys(
        (full, busy, changed_key, broken), "failed"
    )
    assert outcomes(told)[fine] in ("changed", "unchanged")
    assert hosts[full]["cause"] == "its disk is full"
    assert "another run is at work there: ada on laptop" in hosts[busy]["cause"]
    assert f"{known}:" in hosts[changed_key]["cause"]
    assert "remove line" in hosts[changed_key]["fix"]
    assert "execute[false]" in hosts[broken]["cause"]
    assert hosts[broken]["where"] == f"{RECIPE}:6"


def test_ctrl_c_lets_the_hosts_at_work_finish_and_starts_no_other(
    cluster: SmallCluster, recipe: Callable[[str], object]
) -> None:
    recipe(SLOW)
    code, told, said = interrupted(cluster, ["--parallel", "2"], times=1)
    assert code == 130, said
    assert sorted(outcomes(told).values()) == ["changed"] * 2 + ["not started"] * 3
    assert "no further host is started" in said


def test_a_second_ctrl_c_leaves_hosts_that_finish_by_themselves(
    cluster: SmallCluster, recipe: Callable[[str], object]
) -> None:
    recipe(SLOW + "# once more\n")
    code, told, said = interrupted(cluster, ["--parallel", "1"], times=2)
    assert code == 130, said
    (left,) = [name for name, outcome in outcomes(told).items() if outcome == "left running"]
    assert "goes on" in told["hosts"][left]["fix"]
    # Until it has noted what it was converged to; the files of a run begun are gone before.
    done = "sudo test -e /var/lib/orchestrate/converged.json && echo done || true"
    until(lambda: cluster.says(left, done) == "done")


def test_s18_a_batch_nobody_can_log_in_to_any_more_stops_the_rollout(
    cluster: SmallCluster, recipe: Callable[[str], object]
) -> None:
    first, second, *rest = sorted(cluster.names)
    recipe(LOCKS_UP % second)
    told = cluster.json("converge", "cpu", "--serial", "1", "--connect-timeout", "5")
    assert outcomes(told) == {
        first: "unchanged",
        second: "failed",
        **dict.fromkeys(rest, "not started"),
    }
    assert "nobody can log in" in told["hosts"][second]["cause"]
    assert told["stopped"] == f"1 of {WORKERS} hosts has failed, none may"
    runs = cluster.json("runs", "last")
    assert (runs["command"], runs["exit_code"]) == ("converge", 1)
    assert runs["stacks"][second]["state"] == "failed"


def with_keys_of(known: str, cluster: SmallCluster, host: str, other: str) -> str:
    """known_hosts as if `host` had been seen with the keys of the other."""
    ids = dict(zip(cluster.names, cluster.workers, strict=True))
    lines = [line for line in known.splitlines() if not line.startswith(ids[host])]
    theirs = [line.replace(ids[other], ids[host]) for line in lines if line.startswith(ids[other])]
    return "\n".join([*lines, *theirs]) + "\n"


def interrupted(cluster: SmallCluster, options: list[str], times: int) -> tuple[int, Any, str]:
    """Converge the workers and press Ctrl-C once a host is being converged: code, JSON, stderr."""
    before = set(journals(cluster))
    process = subprocess.Popen(
        cluster.argv("converge", "cpu", *options, "--json"),
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until(lambda: any(asleep(file) for file in set(journals(cluster)) - before))
        for _ in range(times):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.3)
    finally:
        out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, json.loads(out), err


def journals(cluster: SmallCluster) -> list[Path]:
    return list((cluster.root / ".orchestrate/runs").glob("*"))


def asleep(run: Path) -> bool:
    """Whether a host of a run has come to where its recipe takes its time."""
    return any("execute[sleep 4]" in log.read_text() for log in (run / "logs").glob("*.log"))


def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.2)
