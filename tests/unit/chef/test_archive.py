"""What is shipped to a host."""

import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from orchestrate.chef import archive
from orchestrate.errors import OrchestrateError
from tests.unit.chef.conftest import Write


def members(data: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name: member for member in tar.getmembers()}


def test_a_role_takes_its_cookbooks_and_their_dependencies_and_no_others(chef: Path) -> None:
    packed = archive.pack(chef, "worker", stand_in=False)
    assert packed.cookbooks == ("base", "disks")
    assert sorted(members(packed.data)) == [
        "client/converge.sh",
        "cookbooks/base/metadata.rb",
        "cookbooks/base/recipes/default.rb",
        "cookbooks/disks/metadata.rb",
        "cookbooks/disks/recipes/scratch.rb",
        "cookbooks/mounts/metadata.rb",
        "cookbooks/mounts/templates/unit.erb",
        "roles/base.json",
        "roles/worker.json",
    ]


def test_the_stand_in_is_packed_for_a_lab_only(chef: Path) -> None:
    lab, aws = (archive.pack(chef, "base", stand_in=yes) for yes in (True, False))
    assert members(lab.data).keys() - members(aws.data).keys() == {"stand-in/bin/stand-in"}
    assert lab.digest != aws.digest


def test_the_same_files_give_the_same_bytes_wherever_and_whenever(
    chef: Path, tmp_path: Path
) -> None:
    other = shutil.copytree(chef, tmp_path / "elsewhere" / "chef")
    for path in other.rglob("*"):
        os.utime(path, (1, 1))
    assert archive.pack(other, "worker", stand_in=True) == archive.pack(
        chef, "worker", stand_in=True
    )


def test_a_changed_line_or_mode_changes_the_digest_of_the_roles_that_have_it(
    chef: Path, write: Write
) -> None:
    before = {role: archive.pack(chef, role, stand_in=False).digest for role in ("base", "worker")}
    write("cookbooks/mounts/templates/unit.erb", "off\n")
    after = {role: archive.pack(chef, role, stand_in=False).digest for role in ("base", "worker")}
    assert before["base"] == after["base"]
    assert before["worker"] != after["worker"]
    (chef / "client/converge.sh").chmod(0o644)
    assert archive.pack(chef, "base", stand_in=False).digest != after["base"]


def test_programs_stay_programs_and_no_owner_travels(chef: Path) -> None:
    found = members(archive.pack(chef, "base", stand_in=False).data)
    assert found["client/converge.sh"].mode == 0o755
    assert found["roles/base.json"].mode == 0o644
    assert {(member.uid, member.uname) for member in found.values()} == {(0, "")}


def test_a_link_that_leads_out_of_its_cookbook_is_sent_to_nobody(chef: Path) -> None:
    secret = chef.parent / "secret"
    secret.write_text("key")
    link = chef / "cookbooks" / "base" / "files" / "key"
    link.parent.mkdir(exist_ok=True)
    for target in (secret, Path("../../../../secret"), Path("../../disks/metadata.rb")):
        link.symlink_to(target)
        with pytest.raises(OrchestrateError, match="a link to a file elsewhere"):
            archive.pack(chef, "base", stand_in=False)
        link.unlink()
    link.symlink_to("../metadata.rb")
    assert "cookbooks/base/files/key" in members(archive.pack(chef, "base", stand_in=False).data)
