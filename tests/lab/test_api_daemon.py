"""A lab's daemon, as its users meet it: up, status, a second up, killed, down."""

import json
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.lab import record, slots
from tests.lab.conftest import LabFolder

pytestmark = pytest.mark.lab
LISTENING = "0A"
LOOPBACK = "0100007F"  # as /proc/net/tcp writes 127.0.0.1


def test_up_serves_an_api_and_down_ends_it(empty_folder: LabFolder) -> None:
    up = empty_folder.orchestrate("up", "--no-hosts")

    assert up.code == 0, up.stderr
    lab = empty_folder.record
    assert lab.endpoint in up.stdout
    assert empty_folder.orchestrate("down").code == 0
    assert not lab.alive
    assert [file.name for file in empty_folder.files.folder.iterdir()] == ["lab.log"]


def test_a_second_up_finds_the_first(empty_folder: LabFolder) -> None:
    first = empty_folder.up("--no-hosts")

    second = empty_folder.orchestrate("up", "--no-hosts")

    assert second.code == 0
    assert "already running" in second.stdout
    assert empty_folder.record == first


def test_status_tells_endpoint_counts_and_instances_as_json(lab_api: LabFolder) -> None:
    told = json.loads(lab_api.orchestrate("status", "--json").stdout)

    assert told["endpoint"] == lab_api.record.endpoint
    assert told["pid"] == lab_api.record.pid
    assert told["stage"] == "ready"
    assert told["real_hosts"] is False
    assert "asked for" in told["why_no_hosts"]
    assert isinstance(told["instances"], list)


def test_status_of_a_lab_that_is_not_up_names_the_next_step(empty_folder: LabFolder) -> None:
    told = empty_folder.orchestrate("status")

    assert told.code == 1
    assert "the lab is not running" in told.stderr
    assert "next: orchestrate lab up" in told.stderr


def test_down_of_a_lab_that_is_not_up_is_no_error(empty_folder: LabFolder) -> None:
    assert empty_folder.orchestrate("down").code == 0


def test_a_killed_daemon_is_noticed_keeps_no_slot_and_up_starts_another(
    empty_folder: LabFolder,
) -> None:
    killed = _kill(empty_folder, empty_folder.up("--no-hosts"))

    told = empty_folder.orchestrate("status")
    with slots.claimed(killed.slot) as free:
        assert free
    fresh = empty_folder.up("--no-hosts")

    assert "its daemon was killed" in told.stderr
    assert fresh.pid != killed.pid
    assert fresh.alive


def test_a_process_with_a_killed_daemon_s_pid_is_not_taken_for_it(empty_folder: LabFolder) -> None:
    killed = _kill(empty_folder, empty_folder.up("--no-hosts"))
    record.write(empty_folder.files.record, replace(killed, pid=os.getpid()))

    assert empty_folder.orchestrate("status").code == 1
    assert empty_folder.orchestrate("down").code == 0
    assert not empty_folder.files.record.exists()


def test_two_labs_have_two_slots_and_two_endpoints(
    lab_api: LabFolder, empty_folder: LabFolder
) -> None:
    other = empty_folder.up("--no-hosts")

    assert other.slot != lab_api.record.slot
    assert other.endpoint != lab_api.record.endpoint


def test_the_daemon_listens_on_loopback_only(lab_api: LabFolder) -> None:
    listening = _listening(lab_api.record.pid)

    assert [address for address, _ in listening] == [LOOPBACK]
    assert lab_api.record.endpoint == f"http://127.0.0.1:{listening[0][1]}"


def test_the_private_key_is_readable_by_its_owner_only(lab_api: LabFolder) -> None:
    assert lab_api.files.identity.stat().st_mode & 0o777 == 0o600
    assert lab_api.files.public_key.read_text().startswith("ssh-ed25519 ")


def test_env_prints_exports_that_a_shell_can_evaluate(lab_api: LabFolder) -> None:
    printed = lab_api.orchestrate("env", "--account", "210987654321").stdout

    assert f"export AWS_ENDPOINT_URL={lab_api.record.endpoint}\n" in printed
    assert "export AWS_ACCESS_KEY_ID=210987654321\n" in printed
    assert "export AWS_DEFAULT_REGION=" in printed


def test_logs_print_the_api_calls(lab_api: LabFolder) -> None:
    assert "lab ready" in lab_api.orchestrate("logs", "-n", "100000").stdout


def _kill(folder: LabFolder, lab: record.LabRecord) -> record.LabRecord:
    os.kill(lab.pid, signal.SIGKILL)
    while folder.record.alive:
        time.sleep(0.01)
    return lab


def _listening(pid: int) -> list[tuple[str, int]]:
    """Address (as the kernel writes it) and port of every TCP socket a process listens on."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    mine = {link[8:-1] for link in links if link.startswith("socket:[")}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING and fields[9] in mine:
                address, port = fields[1].split(":")
                found.append((address, int(port, 16)))
    return found
