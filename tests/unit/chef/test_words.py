"""Words that no client knows are found in cookbooks before a host meets them."""

import shutil
from pathlib import Path

import pytest

from orchestrate.chef import check, words
from tests.unit.chef.conftest import Write

STAND_IN = Path(__file__).parents[3] / "chef" / "stand-in"
GREETING = """\
unified_mode true
provides :base_greeting
property :who, String, name_property: true
action :say do
  log polite(new_resource.who) do
    level :warn
    colour 'red'
  end
end
action_class do
  def polite(name)
    "hello #{name}"
  end
end
"""


@pytest.fixture
def chef(chef: Path) -> Path:
    shutil.rmtree(chef / "stand-in")
    (chef / "stand-in").symlink_to(STAND_IN)
    return chef


def found(chef: Path) -> dict[str, str]:
    return {str(one.place): one.what for one in words.check(chef.parent, chef)}


RECIPES = [
    ("apt_repositry 'x'\n", 1, "no resource or method `apt_repositry' (did you mean"),
    ("yum_package 'x' do\nend\n", 1, "no resource or method `yum_package'"),
    ("file '/x' do\n  content 'x'\n  owned 'root'\nend\n", 3, "`file' has no property"),
    ("file '/x' do\n  contents 'x'\nend\n", 2, "`contents' (did you mean `content'?)"),
    ("if true\n  %w(a b).each do |x|\n    fil x\n  end\nend\n", 3, "no resource or method `fil'"),
    ("service 'x' do\n  action %i(enable strat)\nend\n", 2, "`service' has no action `strat'"),
    ("data_bag_item('a', 'b')\n", 1, "Chef has it, the stand-in does not"),
    ("base_greeting 'ada' do\n  whom 'x'\nend\n", 2, "`base_greeting' has no property"),
    ("base_greeting('ada') { action :sing }\n", 1, "`base_greeting' has no action `sing'"),
]  # fmt: skip


@pytest.mark.parametrize(("recipe", "line", "said"), RECIPES, ids=[one[2] for one in RECIPES])
def test_an_unknown_word_is_found_with_its_line(
    chef: Path, write: Write, recipe: str, line: int, said: str
) -> None:
    write("cookbooks/base/resources/greeting.rb", GREETING.replace("    colour 'red'\n", ""))
    write("cookbooks/base/recipes/other.rb", recipe)
    ((place, what),) = found(chef).items()
    assert place == f"chef/cookbooks/base/recipes/other.rb:{line}"
    assert said in what


def test_all_of_them_are_found_in_recipes_resources_and_attributes(
    chef: Path, write: Write
) -> None:
    write("cookbooks/base/resources/greeting.rb", GREETING)
    write(
        "cookbooks/base/recipes/default.rb", "fil '/x'\nlog 'x'\nservice 'x' do\n  nam 'x'\nend\n"
    )
    write("cookbooks/disks/attributes/default.rb", "defalt['a'] = 1\n")
    assert list(found(chef)) == [
        "chef/cookbooks/base/recipes/default.rb:1",
        "chef/cookbooks/base/recipes/default.rb:4",
        "chef/cookbooks/base/resources/greeting.rb:7",
        "chef/cookbooks/disks/attributes/default.rb:1",
    ]


def test_what_cookbooks_may_say_is_no_finding(chef: Path, write: Write) -> None:
    write("cookbooks/base/resources/greeting.rb", GREETING.replace("    colour 'red'\n", ""))
    write("cookbooks/base/libraries/words.rb", "module Words\n  def helpful\n    1\n  end\nend\n")
    write(
        "cookbooks/base/recipes/default.rb",
        """\
def local(x) = x
names = %w(a b)
names.each_with_index do |name, number|
  base_greeting local(name) do
    who helpful.to_s
    retries number
    only_if { ::File.exist?('/x') || debian? || platform?('ubuntu') }
    notifies :restart, 'service[x]'
    action names.empty? ? :nothing : %i(say)
  end
end
service('x') { action :nothing }
raise 'no' unless node['base'] && shell_out('true').exitstatus.zero?
package(names) { action :upgrade }
""",
    )
    assert found(chef) == {}


def test_the_cookbooks_of_this_repository_have_none() -> None:
    root = STAND_IN.parents[1]
    assert list(words.check(root, root / "chef")) == []


def test_a_repository_without_the_stand_in_is_not_asked(chef: Path, write: Write) -> None:
    (chef / "stand-in").unlink()
    write("cookbooks/base/recipes/default.rb", "fil '/x'\n")
    assert found(chef) == {}


def test_without_what_the_stand_in_is_made_of_that_is_said(
    chef: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = write(
        "broken/chef-utils.rb", "raise LoadError, 'cannot load such file -- mixlib/log'\n"
    )
    monkeypatch.setenv("RUBYLIB", str(broken.parent))
    (warning,) = words.check(chef.parent, chef)
    assert warning.level == "warning"
    assert "mixlib/log" in warning.what
    assert "ruby-erubis" in warning.fix


def test_a_check_of_everything_finds_them_too(chef: Path, write: Write) -> None:
    write("cookbooks/base/recipes/default.rb", "fil '/x'\n")
    assert [str(one.place) for one in check.findings(chef.parent, None)] == [
        "chef/cookbooks/base/recipes/default.rb:1"
    ]
