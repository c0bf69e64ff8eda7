"""Everything wrong in `chef/`, at once."""

from pathlib import Path

import pytest

from orchestrate.chef import check
from orchestrate.errors import InvalidInput
from orchestrate.fleet.load import load
from orchestrate.fleet.models import BakedImage
from tests.unit.chef.conftest import Write

FLEET = load(Path(__file__).parents[2] / "golden" / "example" / "fleet")


def found(chef: Path) -> list[str]:
    return [f"{one.place} {one.what}" for one in check.findings(chef.parent, None)]


def test_what_is_right_has_no_finding(chef: Path) -> None:
    assert found(chef) == []


def test_a_repository_without_cookbooks_has_nothing_to_check(tmp_path: Path) -> None:
    assert check.findings(tmp_path, FLEET) == []


def test_wrong_roles_cookbooks_and_lines_are_found_together(chef: Path, write: Write) -> None:
    write("roles/gpu.json", '{"run_list": ["recipe[nvidia]"]}')
    write("cookbooks/mounts/metadata.rb", "depends 'nfs'\n")
    write("cookbooks/base/recipes/default.rb", "log (\n")
    lines = found(chef)
    assert [line.split()[0] for line in lines] == [
        "chef/cookbooks/base/recipes/default.rb:1",
        "chef/cookbooks/mounts/metadata.rb",
        "chef/roles/gpu.json",
    ]


def test_a_role_that_the_fleet_wants_and_nobody_wrote_is_found(chef: Path) -> None:
    baked = {"trainer": BakedImage(parent="debian-12")}
    file = FLEET.file.model_copy(update={"baked": baked})
    fleet = FLEET.model_copy(update={"file": file, "clusters": {}, "sites": {}})
    (only,) = check.findings(chef.parent, fleet)
    assert str(only.place) == "chef/roles/trainer.json"
    assert only.what == "no role 'trainer', which image 'trainer' has"


def test_what_is_wrong_is_refused_whole(chef: Path, write: Write) -> None:
    write("roles/gpu.json", '{"run_list": ["recipe[nvidia]"]}')
    write("cookbooks/base/recipes/default.rb", "log (\n")
    with pytest.raises(InvalidInput) as refused:
        check.refuse_broken(chef.parent)
    assert len(refused.value.findings) == 2


def test_a_warning_refuses_nothing_and_is_handed_on(
    chef: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(chef))
    (warning,) = check.refuse_broken(chef.parent)
    assert warning.level == "warning"


def test_without_ruby_the_rest_is_checked_and_that_is_said(
    chef: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("roles/gpu.json", '{"run_list": ["recipe[nvidia]"]}')
    monkeypatch.setenv("PATH", str(chef))
    levels = {one.level: one.what for one in check.findings(chef.parent, None)}
    assert levels["warning"] == "Ruby isn't installed, so nothing here was parsed"
    assert levels["error"] == "no cookbook 'nvidia'"
