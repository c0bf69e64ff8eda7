"""Two branches that both gave out addresses, merged by git: the way out is the guide's."""

import subprocess
from datetime import date
from pathlib import Path

import pytest

from orchestrate.errors import InvalidInput
from orchestrate.ipam import ledger

from .fleets import fleet_of

TODAY = date(2026, 11, 29)


class Repository:
    """A git repository with nothing but a ledger."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / "fleet" / ledger.NAME
        self.path.parent.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, ok: bool = True) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.net"]
        command = ["git", "-C", str(self.root), *who, *words]
        done = subprocess.run(command, check=False, capture_output=True)
        assert (done.returncode == 0) == ok, done

    def commit_ledger_of(self, *clusters: str) -> None:
        ledger.write(self.path, fleet_of(*clusters), TODAY)
        self.git("add", "fleet")
        self.git("commit", "-q", "-m", ", ".join(clusters))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path)
    repository.commit_ledger_of("a", "m", "z")
    return repository


def branch_off_both_ways(repository: Repository, ours: list[str], theirs: list[str]) -> None:
    repository.git("checkout", "-q", "-b", "theirs")
    repository.commit_ledger_of(*theirs)
    repository.git("checkout", "-q", "main")
    repository.commit_ledger_of(*ours)


def without_lines_of(path: Path, cluster: str) -> str:
    lines = path.read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(f"  {cluster}/"))


def test_git_merges_line_by_line_and_what_was_given_twice_is_named(repository: Repository) -> None:
    branch_off_both_ways(repository, ["a", "b", "m", "z"], ["a", "m", "n", "z"])
    repository.git("merge", "-q", "theirs")
    with pytest.raises(InvalidInput) as refused:
        ledger.read(repository.path)
    twice = [finding.what.split()[0] for finding in refused.value.findings]
    assert {"n/vpc", "n/pods", "n/services", "n/vpn-clients"} <= set(twice)
    # b is applied already and n is not, so n's lines go and n gets other ranges.
    repository.path.write_text(without_lines_of(repository.path, "n"))
    before = ledger.read(repository.path).allocations
    after = ledger.write(repository.path, fleet_of("a", "b", "m", "n", "z"), TODAY).after
    assert {key: after.allocations[key] for key in before} == before
    assert not after.allocations["n/vpc"].overlaps(after.allocations["b/vpc"])


def test_neighbours_conflict_and_both_sides_can_be_kept(repository: Repository) -> None:
    branch_off_both_ways(repository, ["a", "b", "m", "z"], ["a", "c", "m", "z"])
    repository.git("merge", "-q", "theirs", ok=False)
    with pytest.raises(InvalidInput, match="git left merge markers"):
        ledger.read(repository.path)
    lines = repository.path.read_text().splitlines(keepends=True)
    markers = ("<<<<<<<", "=======", ">>>>>>>")
    repository.path.write_text("".join(line for line in lines if not line.startswith(markers)))
    repository.path.write_text(without_lines_of(repository.path, "c"))
    after = ledger.write(repository.path, fleet_of("a", "b", "c", "m", "z"), TODAY).after
    assert str(after.allocations["b/vpc"]) == "10.4.0.0/16"
    assert str(after.allocations["c/vpc"]) == "10.5.0.0/16"
