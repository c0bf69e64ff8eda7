"""The Ruby shipped to hosts: no warnings, short files, and rubocop's opinion where it is."""

import shutil
from pathlib import Path

import pytest

from orchestrate import shell

CHEF = Path(__file__).parents[3] / "chef"
FILES = [
    *sorted((CHEF / "stand-in").rglob("*.rb")),
    *sorted((CHEF / "stand-in" / "bin").iterdir()),
    *sorted((CHEF / "client").glob("*.rb")),
]


@pytest.mark.skipif(shutil.which("ruby") is None, reason="no ruby")
def test_ruby_has_no_warning_about_any_file() -> None:
    check = "ARGV.each { |path| RubyVM::InstructionSequence.compile(File.read(path), path) }"
    done = shell.run(["ruby", "-w", "-e", check, *map(str, FILES)], check=False)
    assert (done.code, done.stderr) == (0, "")


def test_files_stay_short_enough_to_read() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > 300} == {}


@pytest.mark.skipif(shutil.which("rubocop") is None, reason="no rubocop")
def test_rubocop_has_nothing_to_say() -> None:
    done = shell.run(["rubocop", "--format", "emacs"], cwd=CHEF, check=False, timeout_s=300)
    assert (done.code, done.stdout) == (0, "")


@pytest.mark.parametrize("script", ["converge.sh", "install.sh"])
def test_scripts_are_valid_for_any_posix_shell(script: str) -> None:
    assert shell.run(["sh", "-n", str(CHEF / "client" / script)], check=False).code == 0
