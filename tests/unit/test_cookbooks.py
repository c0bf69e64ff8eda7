"""The cookbooks, roles and suites of this repository hang together."""

import json
import re
import shutil
from pathlib import Path
from typing import get_args

import pytest

from orchestrate import shell
from orchestrate.chef import cookbooks, roles, syntax
from orchestrate.fleet.models import Role

ROOT = Path(__file__).resolve().parents[2]
CHEF = ROOT / "chef"
COOKBOOKS = sorted(path.name for path in (CHEF / "cookbooks").iterdir() if path.is_dir())
RECIPE = re.compile(r"""include_recipe ['"](\w+)(?:::(\w+))?['"]""")
SOURCES = {
    "templates": re.compile(r"""^\s*source ['"]([^#'"]+\.erb)['"]""", re.MULTILINE),
    "files": re.compile(r"""^\s*source ['"]([^#'"]+(?<!\.erb))['"]""", re.MULTILINE),
}

# A resource of the file system, to the end of its block.
WRITTEN = re.compile(
    r"^( *)((?:file|template|cookbook_file|directory) .* do\n(?:\1 .*\n|\n)*)\1end$", re.MULTILINE
)
OWNED = {"owner", "group", "mode"}


def ruby(cookbook: str, *folders: str) -> str:
    """All Ruby of a cookbook's folders, as one text."""
    paths = sorted(
        path for name in folders for path in (CHEF / "cookbooks" / cookbook / name).glob("*.rb")
    )
    return "\n".join(path.read_text() for path in paths)


def recipe_file(cookbook: str, recipe: str) -> Path:
    return CHEF / "cookbooks" / cookbook / "recipes" / f"{recipe or 'default'}.rb"


def test_all_of_them_parse() -> None:
    assert syntax.check(ROOT, [CHEF / "cookbooks", CHEF / "roles"]) == []


@pytest.mark.skipif(shutil.which("rubocop") is None, reason="no rubocop")
def test_rubocop_has_nothing_to_say() -> None:
    # In their own folder, for their own rules to count.
    argv = ["rubocop", "--format", "emacs"]
    done = shell.run(argv, cwd=CHEF / "cookbooks", check=False, timeout_s=300)
    assert done.stdout == ""


@pytest.mark.parametrize("cookbook", COOKBOOKS)
def test_a_cookbook_says_what_it_is_and_where_it_runs(cookbook: str) -> None:
    text = (CHEF / "cookbooks" / cookbook / "metadata.rb").read_text()
    said = dict(re.findall(r"^(\w+) '(.+?)'", text, re.MULTILINE))
    assert said["name"] == cookbook
    assert said.keys() >= {"description", "license", "maintainer", "version", "chef_version"}
    assert set(re.findall(r"^supports '(\w+)'", text, re.MULTILINE)) == {"debian", "ubuntu"}


@pytest.mark.parametrize("cookbook", COOKBOOKS)
def test_recipes_include_only_what_is_there_and_declared(cookbook: str) -> None:
    declared = {cookbook, *cookbooks.closure(CHEF, [cookbook])}
    included = RECIPE.findall(ruby(cookbook, "recipes"))
    assert [one for one in included if not recipe_file(*one).is_file()] == []
    assert {name for name, _ in included} <= declared


@pytest.mark.parametrize("kind", ["templates", "files"])
@pytest.mark.parametrize("cookbook", COOKBOOKS)
def test_what_resources_write_is_there_and_used(cookbook: str, kind: str) -> None:
    folder = CHEF / "cookbooks" / cookbook / kind
    there = {path.name for path in folder.glob("*")}
    named = set(SOURCES[kind].findall(ruby(cookbook, "recipes", "resources")))
    # `source "#{kind}.slice.erb"` names several.
    computed = {name for name in there if name.endswith(".slice.erb")}
    assert named | computed == there


@pytest.mark.parametrize("cookbook", COOKBOOKS)
def test_every_resource_is_documented_and_acts_at_once(cookbook: str) -> None:
    for path in (CHEF / "cookbooks" / cookbook / "resources").glob("*.rb"):
        text = path.read_text()
        assert text.startswith("unified_mode true\n"), path
        # By its cookbook's name too: `person` alone may be anybody's.
        assert f"provides :{cookbook}_{path.stem}\n" in text
        properties = re.findall(r"^property .*", text, re.MULTILINE)
        assert properties
        assert [line for line in properties if "description: " not in line] == []


@pytest.mark.parametrize("cookbook", COOKBOOKS)
def test_whatever_is_written_says_whose_it_is(cookbook: str) -> None:
    declared = [text for _, text in WRITTEN.findall(ruby(cookbook, "recipes", "resources"))]
    silent = [block for block in declared if not set(re.findall(r"\w+", block)) >= OWNED]
    assert [block for block in silent if "action :delete" not in block] == []


@pytest.mark.parametrize("cookbook", COOKBOOKS)
def test_every_cookbook_has_a_suite(cookbook: str) -> None:
    assert list((ROOT / "tests" / "infra" / cookbook).glob("test_*.py"))


def test_every_suite_is_a_cookbooks() -> None:
    suites = {path.parent.name for path in (ROOT / "tests" / "infra").glob("*/test_*.py")}
    assert suites == set(COOKBOOKS)


def test_the_fleets_roles_are_chefs() -> None:
    assert set(roles.names(CHEF)) == {"base", *get_args(Role)}


@pytest.mark.parametrize("name", roles.names(CHEF))
def test_a_role_names_recipes_that_are_there_and_starts_with_what_every_host_is(name: str) -> None:
    content = json.loads((CHEF / "roles" / f"{name}.json").read_text())
    assert content["name"] == name
    assert content["description"]
    assert roles.load(CHEF, name).cookbooks[0] == "base"
    recipes = re.findall(r"recipe\[(\w+)(?:::(\w+))?\]", " ".join(content["run_list"]))
    assert [one for one in recipes if not recipe_file(*one).is_file()] == []
