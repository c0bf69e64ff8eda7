"""Cookbooks that don't parse are found before they are shipped; Ruby is asked itself."""

from pathlib import Path

from orchestrate.chef import syntax
from tests.unit.chef.conftest import Write


def test_files_that_parse_give_no_finding(chef: Path) -> None:
    assert syntax.check(chef.parent, [chef]) == []


def test_everything_that_does_not_parse_is_found_at_once(chef: Path, write: Write) -> None:
    write("cookbooks/base/recipes/default.rb", "log 'hello'\nfile '/x' do\n")
    write("cookbooks/mounts/templates/unit.erb", "fine\n<%= 1 + ) %>\nfine\n")
    write("roles/base.json", '{"name": "base",\n}\n')
    found = {str(finding.place): finding.what for finding in syntax.check(chef.parent, [chef])}
    assert list(found) == [
        "chef/cookbooks/base/recipes/default.rb:2",
        "chef/cookbooks/mounts/templates/unit.erb:2",
        "chef/roles/base.json:2",
    ]
    assert "unexpected end-of-input" in found["chef/cookbooks/base/recipes/default.rb:2"]


def test_what_is_not_asked_for_is_not_looked_at(chef: Path, write: Write) -> None:
    write("cookbooks/unused/recipes/default.rb", "file '/x' do\n")
    assert syntax.check(chef.parent, [chef / "cookbooks" / "base"]) == []
