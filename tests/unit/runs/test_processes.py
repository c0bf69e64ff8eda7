import os
import subprocess
from dataclasses import replace

from orchestrate.runs import processes


def test_this_process_is_alive() -> None:
    assert processes.this().pid == os.getpid()
    assert processes.alive(processes.this())


def test_a_process_that_has_ended_is_not_alive_even_before_it_is_waited_for() -> None:
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    known = processes.identify(child.pid)
    assert processes.alive(known)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not processes.alive(known)
    child.communicate()
    assert not processes.alive(known)


def test_another_process_with_the_same_number_is_not_it() -> None:
    assert not processes.alive(replace(processes.this(), born="boot:1"))


def test_a_process_that_was_gone_when_it_was_looked_at_is_not_alive() -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    assert not processes.alive(processes.identify(child.pid))


def test_a_process_of_another_host_may_be_alive() -> None:
    assert processes.alive(replace(processes.this(), host="elsewhere"))
