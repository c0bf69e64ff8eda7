"""A host's identity: as text, and on a disk made of an image that may be anybody's."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrate.errors import LabError
from orchestrate.lab.disk import (
    Disk,
    check_words,
    create,
    host_keys,
    hosts_file,
    login_home,
    login_lines,
)
from tests.hostile import HOSTILE
from tests.lab.specs import a_spec


def test_a_host_knows_its_own_name_without_a_name_server() -> None:
    assert "10.1.0.11 ip-10-1-0-11\n" in hosts_file(a_spec(1))


def test_a_login_has_a_home_and_a_shell_and_no_password() -> None:
    lines = login_lines("ubuntu")

    assert lines["passwd"] == "ubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n"
    assert lines["shadow"].split(":")[1] == "*"
    assert lines["group"] == "ubuntu:x:1000:\n"


def test_an_image_says_where_its_login_lives() -> None:
    passwd = "root:x:0:0:root:/root:/bin/bash\nadmin:x:1000:1000::/var/home/admin:/bin/bash\n"
    assert login_home(passwd, "admin") == "/var/home/admin"
    assert login_home(passwd, "ubuntu") is None


def test_a_key_is_shown_as_ssh_shows_it() -> None:
    # From `ssh-keygen -t ed25519` and `ssh-keygen -l`.
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL40Hz0TeMRjHM3XdhJEU3BxapEYoF7B+t67qfGEqFZ4"
    assert (
        "256 SHA256:oztaDfz/MFU+wHwRrlCcdp7YR71dfTelVbh8zo0Soss root@ip-10-1-0-11 (ED25519)\n"
        in host_keys(f"{key} root@ip-10-1-0-11\n")
    )
    assert f"{key} root@ip-10-1-0-11\n" in host_keys(f"{key} root@ip-10-1-0-11\n")


SECRET = "root:$y$secret:20000:0:99999:7:::\n"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\n",
    "etc/shadow": "root:*:20000:0:99999:7:::\n",
    "etc/group": "root:x:0:\n",
    "etc/ssl/certs/ca-certificates.crt": "a certificate\n",
    "etc/skel/.bashrc": "# hello\n",
}


@pytest.fixture
def lower(tmp_path: Path) -> list[Path]:
    """An image's own layer, and the root file system it stands on."""
    layers = [tmp_path / "layer", tmp_path / "rootfs"]
    for folder in layers:
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    return layers


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The machine's own: a file of mode 600, and keys that look like a host's."""
    folder = tmp_path / "machine"
    (folder / "ssh").mkdir(parents=True)
    for name in ("shadow", "passwd", "group", "ssh/ssh_host_rsa_key"):
        (folder / name).write_text(SECRET)
        (folder / name).chmod(0o600)
    return folder


def _content(folder: Path) -> dict[str, tuple[int, int, str]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_uid,
            path.lstat().st_mode,
            path.read_text() if path.is_file() else "",
        )
        for path in folder.rglob("*")
    }


Twist = Callable[[Path, Path], object]


def _link(name: str, target: str) -> Twist:
    def twist(layer: Path, machine: Path) -> None:
        path = layer / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.symlink_to(target.format(machine=machine))

    return twist


def _home(home: str) -> Twist:
    line = f"admin:x:1000:1000::{home}:/bin/bash\n"

    def twist(layer: Path, machine: Path) -> None:
        (layer / "etc/passwd").write_text(FILES["etc/passwd"] + line.format(machine=machine))

    return twist


TWISTS: dict[str, Twist] = {
    "passwd is a link": _link("etc/passwd", "{machine}/shadow"),
    "passwd is a link upward": _link("etc/passwd", "../../machine/shadow"),
    "shadow is a link": _link("etc/shadow", "{machine}/shadow"),
    "group is a link": _link("etc/group", "{machine}/shadow"),
    "the certificates are a link": _link("etc/ssl/certs/ca-certificates.crt", "{machine}/shadow"),
    "the certificates' folder is a link": _link("etc/ssl", "{machine}"),
    "etc is a link": _link("etc", "{machine}"),
    "the host keys' folder is a link": _link("etc/ssh", "{machine}/ssh"),
    "the home climbs out": _home("/../../../machine"),
    "the home climbs out of its own": _home("home/../../../../machine/ssh"),
    "the home is the machine's": _home("{machine}"),
    "the home is a process's": _home("/proc/self/cwd"),
}


@needs_root
@pytest.mark.parametrize("twist", TWISTS.values(), ids=TWISTS)
def test_a_hostile_image_reads_and_changes_nothing_of_the_machine(
    twist: Twist, tmp_path: Path, lower: list[Path], machine: Path
) -> None:
    twist(lower[0], machine)
    before, disk = _content(machine), Disk(tmp_path / "hosts/i-1")

    try:
        create(disk, a_spec(1, public_key="ssh-ed25519 AAAA operator"), lower, "an authority\n")
    except LabError as refused:
        assert str(lower[0]) in str(refused)

    assert _content(machine) == before
    assert SECRET.strip() not in "".join(text for *_, text in _content(disk.upper).values())


@needs_root
def test_an_image_s_login_gets_its_key_at_home(tmp_path: Path, lower: list[Path]) -> None:
    _home("/srv/people/admin")(lower[0], tmp_path)
    disk = Disk(tmp_path / "hosts/i-1")

    create(disk, a_spec(1, public_key="ssh-ed25519 AAAA operator"), lower)

    keys = disk.upper / "srv/people/admin/.ssh/authorized_keys"
    assert keys.read_text() == "ssh-ed25519 AAAA operator\n"
    assert (keys.stat().st_uid, keys.stat().st_mode & 0o777) == (1000, 0o600)
    assert keys.parent.stat().st_mode & 0o777 == 0o700
    assert disk.exists


@needs_root
def test_a_new_login_has_what_the_root_file_system_gives_all(
    tmp_path: Path, lower: list[Path]
) -> None:
    disk = Disk(tmp_path / "hosts/i-1")

    create(disk, a_spec(1), lower)

    assert (disk.upper / "home/admin/.bashrc").read_text() == "# hello\n"
    assert (disk.upper / "home/admin/.bashrc").stat().st_uid == 1000
    assert "admin:x:1000:1000" in (disk.upper / "etc/passwd").read_text()


@pytest.mark.parametrize(
    "text", ["", "ssh-rsa AAAA x", "ssh-ed25519 AAAA x", f"ssh-ed25519 {'A' * 68} a\x1b[2J"]
)
def test_a_host_prints_no_text_of_its_choice_as_its_key(text: str) -> None:
    with pytest.raises(LabError, match="SSH key"):
        host_keys(text)


def test_a_host_whose_key_is_a_link_shows_no_file_of_the_machine(
    tmp_path: Path, machine: Path
) -> None:
    disk = Disk(tmp_path / "hosts/i-1")
    (disk.upper / "etc/ssh").mkdir(parents=True)
    (disk.upper / "etc/ssh/ssh_host_ed25519_key.pub").symlink_to(machine / "shadow")
    with pytest.raises(LabError):
        print(disk.host_key)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_name_a_login_or_a_key_is_one_or_makes_no_host(text: str) -> None:
    spec = a_spec(1)
    for what, odd in {
        "name": replace(spec, hostname=text),
        "login": replace(spec, user=text),
        "public key": replace(spec, public_key=text),
    }.items():
        try:
            check_words(odd)
        except LabError as refused:
            assert f"no host can have the {what}" in refused.what
            assert refused.what.isprintable()
            continue
        assert all(line.count(":") in (2, 3, 6, 8) for line in login_lines(odd.user).values())
        assert len(hosts_file(odd).splitlines()) == 3
        assert len(odd.public_key.strip().splitlines()) <= 1
