"""Where hosts' control groups belong on the kinds of machine there are."""

from pathlib import Path

import pytest

from orchestrate.lab import cgroups

HYBRID = """\
9:name=systemd:/user.slice
4:memory:/jail/42
3:cpu,cpuacct:/
2:net_cls:/
0::/user.slice
"""


@pytest.fixture
def hybrid(tmp_path: Path) -> Path:
    for name in ("systemd/user.slice", "memory/jail/42", "cpu,cpuacct", "unified/user.slice"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def test_v1_groups_belong_below_the_callers_own(hybrid: Path) -> None:
    assert cgroups.parents(HYBRID, hybrid) == [
        hybrid / "systemd/user.slice",
        hybrid / "memory/jail/42",
        hybrid / "cpu,cpuacct",
        hybrid / "unified",
    ]


def test_on_v2_alone_there_is_one_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").touch()

    assert cgroups.parents("0::/user.slice/session-1.scope\n", tmp_path) == [tmp_path]


def test_a_callers_group_that_cannot_be_seen_gives_way_to_the_root(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()

    assert cgroups.parents("4:memory:/docker/0123\n", tmp_path) == [tmp_path / "memory"]


def test_a_labs_groups_are_found_wherever_they_were_made(hybrid: Path) -> None:
    mine = [hybrid / "memory/jail/42", hybrid / "unified", hybrid / "memory/old-jail"]
    for parent in mine:
        (parent / cgroups.FOLDER / "ol3-" / "i-01").mkdir(parents=True)
    (hybrid / "unified" / cgroups.FOLDER / "ol31-").mkdir()

    found = cgroups.of_lab("ol3-", hybrid)

    assert sorted(found) == sorted(parent / cgroups.FOLDER / "ol3-" for parent in mine)


def test_process_0_is_never_taken_for_one_of_ours(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text("0\n")

    cgroups.kill([tmp_path])


def test_what_was_frozen_before_stays_so(tmp_path: Path) -> None:
    (tmp_path / "freezer.state").write_text("FROZEN\n")

    with cgroups.frozen([tmp_path]):
        pass

    assert (tmp_path / "freezer.state").read_text() == "FROZEN\n"


def test_what_ran_before_runs_again(tmp_path: Path) -> None:
    (tmp_path / "freezer.state").write_text("THAWED\n")

    with cgroups.frozen([tmp_path]):
        assert (tmp_path / "freezer.state").read_text() == "FROZEN"

    assert (tmp_path / "freezer.state").read_text() == "THAWED"
