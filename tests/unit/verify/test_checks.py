"""From hosts to what the pytest process knows of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.hosts.converge import Task
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access
from orchestrate.verify import checks, way
from orchestrate.verify.backend import SHOWN_LINES, transcript
from orchestrate.verify.checks import Check
from orchestrate.verify.doors import through_open_doors
from orchestrate.verify.selection import of_tasks

BASTION = Host("bastion.c", "c", "bastion", "", "z", "i-1", "running", "10.0.0.1", "1.2.3.4", "u")
WORKER = Host(
    "cpu.c", "c", "cpu-worker", "cpu", "z", "i-2", "running", "10.0.0.2", "", "u", "bastion.c"
)
KNOWN = frozenset({"base", "nvidia"})


def prepared(host: Host, *doors: Host) -> checks.Node:
    check = Check(host, ("base", "unwritten"), {"orchestrate": {"role": host.role}}, doors)
    return checks.nodes([check], KNOWN, "suites", "config").nodes[host.name]


def test_a_host_gets_the_suites_that_exist_and_its_part_of_the_node_json() -> None:
    node = prepared(WORKER, BASTION)
    assert (node.suites, node.door, node.down) == (("base",), "bastion.c", "")
    assert node.orchestrate == {"role": "cpu-worker"}


@pytest.mark.parametrize(
    ("host", "down"),
    [
        (replace(WORKER, state="stopped"), "it is stopped"),
        (replace(WORKER, via=None, private_ip=""), "it has no address"),
    ],
)
def test_nobody_knocks_where_nobody_can_be(host: Host, down: str) -> None:
    assert prepared(host).down == down


def test_a_nodes_file_is_read_as_it_was_written() -> None:
    check = Check(WORKER, ("base", "nvidia"), {"orchestrate": {"users": {"a": 1}}}, (BASTION,))
    nodes = checks.nodes([check], KNOWN, "suites", "config")
    assert checks.parse(checks.dump(nodes), "f") == nodes


@pytest.mark.parametrize("text", ["", "[]", '{"hosts": []}', '{"hosts": [{"name": "a"}]}', "{"])
def test_any_other_file_is_refused_by_name(text: str) -> None:
    with pytest.raises(OrchestrateError, match=r"nodes\.json: not a nodes file") as refused:
        checks.parse(text, "nodes.json")
    assert refused.value.fix


def test_a_role_brings_the_suites_of_its_cookbooks_and_the_whole_way_there(tmp_path: Path) -> None:
    roles = tmp_path / "chef" / "roles"
    roles.mkdir(parents=True)
    (roles / "cpu-worker.json").write_text('{"run_list": ["recipe[base]", "recipe[nvidia::x]"]}')
    for cookbook in KNOWN:
        (tmp_path / "chef" / "cookbooks" / cookbook).mkdir(parents=True)
    gate = replace(BASTION, name="gate.c", role="vpn")
    bastion = replace(BASTION, via="gate.c")
    task = Task(WORKER, "digest", '{"orchestrate": {}}', b"")
    (check,) = of_tasks(tmp_path, [task], [gate, bastion, WORKER])
    assert check == Check(WORKER, ("base", "nvidia"), {"orchestrate": {}}, (bastion, gate))


def test_ssh_asks_nobody_and_knows_the_operators_keys_where_it_has_none() -> None:
    with_key = way.config([WORKER, BASTION], Access(Path("known"), Path("key")))
    assert "ProxyJump bastion.c" in with_key
    assert "BatchMode yes" in with_key
    assert "Include" not in with_key
    assert "Include ~/.ssh/config" in way.config([WORKER], Access(Path("known")))


def test_only_doors_are_shared() -> None:
    text = through_open_doors("Host *\n", {"b.c", "a.c"}, Path("sockets"))
    assert text.startswith('Host a.c\n    ControlMaster auto\n    ControlPath "sockets/0"\n')
    assert text.count("ControlMaster") == 2
    assert text.endswith("\nHost *\n")
    assert through_open_doors("Host *\n", set(), Path("sockets")) == "Host *\n"


def test_a_transcript_shows_the_end_of_a_long_output_and_a_bad_exit_code() -> None:
    shown = transcript("seq 100", 3, "".join(f"{n}\n" for n in range(100)), "oh\n").splitlines()
    assert shown[:2] == ["# seq 100", f"… {101 - SHOWN_LINES} lines before"]
    assert shown[-2:] == ["oh", "[exit code 3]"]
    assert transcript("true", 0, "", "") == "# true"
