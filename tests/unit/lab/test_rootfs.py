"""The shared root file system: built once, whole or not at all."""

import shutil
import stat
from pathlib import Path

import pytest

from orchestrate.errors import CommandFailed
from orchestrate.lab import rootfs, user_data

# Stands in for mmdebstrap: makes a tree at the argument before the last ones that say where
# packages come from, and writes down that it ran.
BUILDER = r"""#!/bin/sh
for word; do case $word in */rootfs/*) tree=$word;; esac; done
echo run >> "$RUNS"
echo "I: automatically chosen mode: root" >&2
echo "I: extracting archives..." >&2
mkdir -p "$tree/etc/apt" && echo "deb http://mirror.example/debian bookworm main" \
    > "$tree/etc/apt/sources.list"
lists=$tree/var/lib/apt/lists
mkdir -p "$lists/partial" && touch "$lists/lock"
touch "$lists/mirror.example_debian_dists_bookworm_InRelease"
mkdir -p "$tree/etc/ssh" && touch "$tree/etc/ssh/ssh_host_rsa_key.pub"
wants=$tree/etc/systemd/system/multi-user.target.wants
mkdir -p "$wants" && for unit in ssh chrony unattended-upgrades; do
    ln -s /lib/systemd/system/none-on-this-machine/$unit.service "$wants/$unit.service"
done
echo mirrors > "$tree/etc/hostname"
exit ${FAIL:-0}
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the stand-in counts its runs; it alone is on PATH, beside a shell's usual tools."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {
        "mmdebstrap": BUILDER,
        "apt-get": "#!/bin/sh",
        "apt-config": "#!/bin/sh",
    }.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_it_is_built_once_and_then_found(runs: Path, tmp_path: Path) -> None:
    first = rootfs.ensure(tmp_path, lambda _: None)
    second = rootfs.ensure(tmp_path, lambda _: None)

    assert first == second
    assert runs.read_text() == "run\n"


def test_hosts_have_the_lab_s_mirror_and_the_lab_remembers_its_own(
    runs: Path, tmp_path: Path
) -> None:
    tree = rootfs.ensure(tmp_path, lambda _: None)

    assert "mirror.example" not in (tree / "etc/apt/sources.list").read_text()
    assert rootfs.sources(tree) == ["deb http://mirror.example/debian bookworm main"]


def test_hosts_have_package_lists_as_if_from_the_lab_s_mirror(runs: Path, tmp_path: Path) -> None:
    lists = rootfs.ensure(tmp_path, lambda _: None) / "var/lib/apt/lists"
    assert {path.name for path in lists.iterdir()} == {
        "partial",
        "archive.lab.internal_debian_dists_bookworm_InRelease",
    }


def test_what_is_built_anew_is_another_one(runs: Path, tmp_path: Path) -> None:
    tree = rootfs.ensure(tmp_path, lambda _: None)
    first = rootfs.identity(tree)
    assert rootfs.identity(tree) == first
    shutil.rmtree(tree)
    assert rootfs.identity(rootfs.ensure(tmp_path, lambda _: None)) != first


def test_the_stages_of_a_build_are_told_and_a_cached_one_has_none(
    runs: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    rootfs.ensure(tmp_path, told.append)
    rootfs.ensure(tmp_path, told.append)

    assert told == ["building the hosts' root file system: extracting archives"]


def test_a_failed_build_leaves_nothing_that_counts(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "1")
    with pytest.raises(CommandFailed, match="extracting archives"):
        rootfs.ensure(tmp_path, lambda _: None)
    monkeypatch.delenv("FAIL")

    folder = rootfs.ensure(tmp_path, lambda _: None)

    assert runs.read_text() == "run\nrun\n"
    assert [path for path in folder.parent.iterdir() if path.is_dir()] == [folder]


def test_what_is_each_hosts_own_is_not_shared(runs: Path, tmp_path: Path) -> None:
    etc = rootfs.ensure(tmp_path, lambda _: None) / "etc"

    assert list((etc / "ssh").glob("ssh_host_*")) == []
    assert not (etc / "hostname").exists()
    assert (etc / "machine-id").read_text() == ""


def test_nobody_logs_in_by_password(runs: Path, tmp_path: Path) -> None:
    etc = rootfs.ensure(tmp_path, lambda _: None) / "etc"

    assert "PasswordAuthentication no" in (etc / "ssh/sshd_config.d/lab.conf").read_text()


def test_what_names_its_interpreter_can_be_run(runs: Path, tmp_path: Path) -> None:
    root = rootfs.ensure(tmp_path, lambda _: None)

    runnable = {name for name in rootfs.FILES if (root / name).stat().st_mode & 0o111}

    assert runnable == {user_data.PROGRAM}


def test_units_without_use_in_a_host_never_start(runs: Path, tmp_path: Path) -> None:
    units = rootfs.ensure(tmp_path, lambda _: None) / rootfs.UNITS

    assert {str((units / name).readlink()) for name in rootfs.MASKED} == {"/dev/null"}


def test_no_host_starts_at_its_boot_what_only_roles_enable(runs: Path, tmp_path: Path) -> None:
    """Links of a tree lead nowhere from outside it, and are found all the same."""
    wants = rootfs.ensure(tmp_path, lambda _: None) / rootfs.UNITS / "multi-user.target.wants"

    assert [path.name for path in wants.iterdir()] == ["ssh.service"]


def test_another_recipe_is_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = rootfs.digest()
    monkeypatch.setattr(rootfs, "PACKAGES", (*rootfs.PACKAGES, "emacs"))

    assert rootfs.digest() != before


def test_nobody_else_reaches_its_programs(runs: Path, tmp_path: Path) -> None:
    """Some run as root for whoever starts them, and are not of today; one of an earlier version
    may stand open."""
    (tmp_path / "rootfs").mkdir(mode=0o755)
    place = rootfs.ensure(tmp_path, lambda _: None)
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
