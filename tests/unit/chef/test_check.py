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


def test_a_repository_without_cookbooks_is_told_what_its_hosts_go_without(tmp_path: Path) -> None:
    (only,) = check.findings(tmp_path, FLEET)
    assert (str(only.place), only.level) == ("chef", "warning")
    assert "no host can be converged" in only.what
    assert "orchestrate init" in only.fix


def test_no_cookbooks_refuse_nothing_that_touches_no_host(tmp_path: Path) -> None:
    assert [one.level for one in check.refuse_broken(tmp_path, FLEET)] == ["warning"]
    assert check.findings(tmp_path, None) == []


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
    (only,) = [one for one in check.findings(chef.parent, fleet) if one.level == "error"]
    assert str(only.place) == "chef/roles/trainer.json"
    assert only.what == "no role 'trainer', which image 'trainer' has"


BARE = FLEET.model_copy(
    update={
        "file": FLEET.file.model_copy(update={"baked": {}}),
        "clusters": {},
        "sites": {},
    }
)


def test_a_role_that_no_host_can_have_is_told_with_what_it_lacks(chef: Path, write: Write) -> None:
    write("roles/notebook.json", '{"run_list": ["role[worker]", "recipe[mounts]"]}')
    (only,) = check.findings(chef.parent, BARE)
    assert (str(only.place), only.level) == ("chef/roles/notebook.json", "warning")
    assert only.fix == (
        "add it to Role in orchestrate/fleet/models/base.py, then run `orchestrate schema`"
    )


def test_a_role_of_an_image_may_be_of_no_host(chef: Path, write: Write) -> None:
    write("roles/notebook.json", '{"run_list": ["role[worker]"]}')
    image = {"lab": BakedImage(parent="debian-12", role="notebook")}
    file = BARE.file.model_copy(update={"baked": image})
    assert check.findings(chef.parent, BARE.model_copy(update={"file": file})) == []


def test_a_cookbook_that_nothing_looks_at_is_told(chef: Path, write: Write) -> None:
    write("roles/gpu-worker.json", '{"run_list": ["role[worker]"]}')
    suites = chef.parent / "tests" / "infra"
    (suites / "base").mkdir(parents=True)
    (suites / "base" / "test_base.py").touch()
    (only,) = [one for one in check.findings(chef.parent, BARE) if "suite" in one.what]
    assert (str(only.place), only.level) == ("tests/infra/disks", "warning")
    assert only.fix == "write tests/infra/disks/test_disks.py"


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
