"""The pytest process and what is read from it; a host's shell is one of this machine.

The lab's tests do the same over SSH, as root.
"""

from pathlib import Path

import pytest

from orchestrate.errors import Interrupted, OrchestrateError
from orchestrate.hosts.inventory import Host
from orchestrate.hosts.ssh_config import Access
from orchestrate.shell import Stop
from orchestrate.verify.checks import Check
from orchestrate.verify.run import run
from orchestrate.verify.verdicts import State, Verdicts

SSH = """#!/bin/sh
# Called as: ssh -T -F CONFIG HOST COMMAND
case $4 in
  deaf) echo "ssh: connect to host deaf port 22: Connection refused" >&2; exit 255 ;;
esac
exec /bin/sh -c "$5"
"""
SUDO = '#!/bin/sh\nshift\nexec "$@"\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository without suites, and the way to its hosts on PATH."""
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    for name, text in (("ssh", SSH), ("sudo", SUDO)):
        (ssh.parent / name).write_text(text)
        (ssh.parent / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(ssh.parent), prepend=":")
    # Whoever set these for himself has no say in what is verified.
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-n 4'\n")
    return tmp_path


def suite(root: Path, name: str, text: str) -> None:
    path = root / "tests" / "infra" / name / f"test_{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def host(name: str, state: str = "running") -> Host:
    return Host(name, "c", "role", "", "", f"i-{name}", state, "", "127.0.0.1", "nobody")


def verify(root: Path, hosts: list[Host], *suites: str, only: str = "") -> Verdicts:
    checks = [Check(one, suites, {"orchestrate": {"name": one.name}}) for one in hosts]
    access = Access(root / "known_hosts")
    return run(checks, access=access, root=root, logs=root / "logs", only=only, at_once=2)


def test_each_host_has_its_own_tests_and_its_own_fate(root: Path) -> None:
    suite(
        root,
        "first",
        "import os, pytest\n"
        "def test_name(host, node):\n"
        "    assert host.check_output('echo %s', node['name']) == 'one'\n"
        "def test_end(node):\n"
        "    if node['name'] == 'crashed': os._exit(9)\n"
        "@pytest.mark.parametrize('number', [1, 2])\n"
        "def test_number(host, number): pass\n",
    )
    hosts = [host("one"), host("two"), host("deaf"), host("gone", "stopped"), host("crashed")]
    found = {one.host: one for one in verify(root, hosts, "first", "unwritten").hosts}
    assert {name: one.state for name, one in found.items()} == {
        "one": State.PASSED,
        "two": State.FAILED,
        "deaf": State.UNREACHABLE,
        "gone": State.UNREACHABLE,
        "crashed": State.FAILED,
    }
    names = ["test_name", "test_end", "test_number[1]", "test_number[2]"]
    assert [test.name for test in found["one"].tests] == names
    assert found["deaf"].unreachable == "connect to host deaf port 22: Connection refused"
    assert found["gone"].unreachable == "it is stopped"
    assert found["crashed"].failures[-1].message == (
        "the process that ran it failed with exit code 9; 2 tests after it were not run"
    )
    (failure,) = found["two"].failures
    assert failure.where == "tests/infra/first/test_first.py:3"
    assert "'two' == 'one'" in failure.message
    assert failure.commands == "# echo two\ntwo"


def test_a_broken_fixture_is_a_failure_and_a_skip_says_why(root: Path) -> None:
    suite(
        root,
        "first",
        "import pytest\n"
        "@pytest.fixture(scope='module')\n"
        "def facts(host): return host.check_output('echo oops >&2; false')\n"
        "def test_fact(facts): pass\n"
        "def test_card(host): pytest.skip('no card')\n",
    )
    (verdict,) = verify(root, [host("one")], "first").hosts
    (failure,) = verdict.failures
    assert "oops" in failure.commands
    assert [test.message for test in verdict.tests][1] == "no card"


def test_what_suites_share_is_found_in_their_repository(root: Path) -> None:
    suite(
        root, "first", "from tests.infra.facts import ANSWER\ndef test(host): assert ANSWER == 42\n"
    )
    (root / "tests" / "infra" / "facts.py").write_text("ANSWER = 42\n")
    assert verify(root, [host("one")], "first").ok


def test_all_broken_suites_are_told_at_once(root: Path) -> None:
    suite(root, "first", "def test(\n")
    suite(root, "second", "import nowhere\n")
    with pytest.raises(OrchestrateError) as broken:
        verify(root, [host("one")], "first", "second")
    assert "first/test_first.py" in str(broken.value)
    assert "No module named 'nowhere'" in str(broken.value)


def test_hosts_without_any_suite_are_left_alone(root: Path) -> None:
    (verdict,) = verify(root, [host("one")], "unwritten").hosts
    assert verdict.state is State.UNTESTED
    assert verdict.log is None


def test_a_wrong_expression_is_told_as_pytest_tells_it(root: Path) -> None:
    suite(root, "first", "def test(host): pass\n")
    with pytest.raises(OrchestrateError, match="at column"):
        verify(root, [host("one")], "first", only="a and")


def test_an_expression_that_fits_no_test_is_an_error(root: Path) -> None:
    suite(root, "first", "def test(host): pass\n")
    with pytest.raises(OrchestrateError, match="no test fits -k 'nowhere'"):
        verify(root, [host("one")], "first", only="nowhere")


def test_nothing_starts_after_a_request_to_stop(root: Path) -> None:
    suite(root, "first", "def test(host): pass\n")
    stop = Stop()
    stop.request()
    check = Check(host("one"), ("first",), {})
    with pytest.raises(Interrupted):
        run([check], access=Access(root / "k"), root=root, logs=root / "logs", stop=stop)
