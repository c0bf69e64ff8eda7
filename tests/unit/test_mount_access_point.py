"""The helper that mounts EFS by access point, with a resolver and a mount.efs of our own."""

from pathlib import Path

import pytest

from orchestrate import shell

FILES = Path(__file__).resolve().parents[2] / "chef" / "cookbooks" / "storage_client" / "files"
NAME = "grace.home.nfs.us-west.example.net"
OPTIONS = f"rw,tls,iam,nosuid,nodev,point={NAME}"


def mount(folder: Path, answer: str) -> shell.Finished:
    """A mount as mount(8) asks for it, where host(1) says `answer` of the access point's name."""
    for name, text in {
        "host": f"[ \"$*\" = '-W 5 -t TXT {NAME}' ] && cat <<'END'\n{answer}\nEND",
        "mount.efs": 'printf "%s\\n" "$@"',
    }.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    argv = ["sh", str(FILES / "mount-access-point.sh"), "home.nfs:/", "/home/grace"]
    path = {"PATH": f"{folder}:/usr/bin:/bin"}
    return shell.run([*argv, "-o", OPTIONS], env=path, check=False)


def test_the_access_point_is_the_one_that_its_name_stands_for(tmp_path: Path) -> None:
    done = mount(tmp_path, f'{NAME} descriptive text "fsap-0123456789abcdef0"')
    options = "rw,tls,iam,nosuid,nodev,accesspoint=fsap-0123456789abcdef0"
    assert done.stdout.splitlines() == ["home.nfs:/", "/home/grace", "-o", options]


@pytest.mark.parametrize(
    "answer",
    [
        f"Host {NAME} not found: 3(NXDOMAIN)",
        f'{NAME} descriptive text "fsap-1,notls"',
        f'{NAME} descriptive text "fsap-1" "rw"',
        f'{NAME} descriptive text "$(id)"',
    ],
)
def test_what_is_no_id_mounts_nothing_and_says_what_to_do(tmp_path: Path, answer: str) -> None:
    done = mount(tmp_path, answer)
    assert (done.code, done.stdout) == (32, "")
    assert f"no access point has the name '{NAME}'; apply the cluster" in done.stderr
