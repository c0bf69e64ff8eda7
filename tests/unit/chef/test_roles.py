"""Roles and the cookbooks they stand for."""

import json
from pathlib import Path

import pytest

from orchestrate.chef import cookbooks, roles
from orchestrate.errors import OrchestrateError
from tests.unit.chef.conftest import Write


def test_a_role_stands_for_its_roles_and_cookbooks_in_order(chef: Path) -> None:
    worker = roles.load(chef, "worker")
    assert worker.roles == ("worker", "base")
    assert worker.cookbooks == ("base", "disks")


def test_an_unknown_role_is_refused_with_the_nearest(chef: Path) -> None:
    with pytest.raises(OrchestrateError, match="no role 'worke'") as refused:
        roles.load(chef, "worke")
    assert refused.value.fix == "did you mean 'worker'?"


def test_a_role_that_contains_itself_is_refused_with_the_way_round(
    chef: Path, write: Write
) -> None:
    write("roles/base.json", json.dumps({"run_list": ["role[worker]"]}))
    with pytest.raises(OrchestrateError, match="worker > base > worker"):
        roles.load(chef, "worker")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a Chef role"),
        ('{"name": "base"}', "not a Chef role: it has no 'run_list'"),
        ("[]", "not a Chef role: list indices"),
        ('{"run_list": "recipe[base]"}', "not a Chef role: run_list is no list"),
        ('{"run_list": [], "run_list": ["recipe[base]"]}', "key 'run_list' appears twice"),
        ('{"run_list": ["base"]}', "'base' can't stand in a run list"),
        ('{"run_list": ["recipe[nope]"]}', "no cookbook 'nope'"),
    ],
)
def test_a_file_that_is_no_role_is_refused_by_name(
    chef: Path, write: Write, text: str, said: str
) -> None:
    file = write("roles/base.json", text)
    with pytest.raises(OrchestrateError, match=said.replace("[", r"\[")) as refused:
        roles.load(chef, "base")
    assert refused.value.where == str(file)


def test_cookbooks_bring_those_they_depend_on(chef: Path) -> None:
    assert cookbooks.closure(chef, ["disks"]) == ["disks", "mounts"]


def test_cookbooks_that_depend_on_each_other_end(chef: Path, write: Write) -> None:
    write("cookbooks/mounts/metadata.rb", "name 'mounts'\ndepends 'disks'\n")
    assert cookbooks.closure(chef, ["mounts"]) == ["disks", "mounts"]


def test_a_dependency_that_is_not_there_is_refused(chef: Path, write: Write) -> None:
    write("cookbooks/mounts/metadata.rb", 'name "mounts"\ndepends "nfs"\n')
    with pytest.raises(OrchestrateError, match="'mounts' depends on 'nfs'"):
        cookbooks.closure(chef, ["disks"])


def test_a_cookbook_without_metadata_is_refused(chef: Path) -> None:
    (chef / "cookbooks/mounts/metadata.rb").unlink()
    with pytest.raises(OrchestrateError, match="no metadata"):
        cookbooks.closure(chef, ["disks"])
