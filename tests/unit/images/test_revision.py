"""Which commit an image is made from."""

from pathlib import Path

from orchestrate import shell
from orchestrate.images.revision import Revision, of

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.net"]


def repository(root: Path) -> str:
    """A repository with one commit of chef/file; the commit's id."""
    (root / "chef").mkdir()
    (root / "chef" / "file").write_text("one")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        shell.run([*GIT, *words], cwd=root)
    return shell.run([*GIT, "rev-parse", "--short=12", "HEAD"], cwd=root).stdout.strip()


def test_it_is_the_commit_and_whether_what_counts_has_changed(tmp_path: Path) -> None:
    commit = repository(tmp_path)
    assert of(tmp_path, "chef") == Revision(commit)
    (tmp_path / "notes").write_text("changed, and of no account")
    assert of(tmp_path, "chef") == Revision(commit)
    (tmp_path / "chef" / "file").write_text("two")
    assert of(tmp_path, "chef") == Revision(commit, dirty=True)


def test_outside_of_a_repository_there_is_none(tmp_path: Path) -> None:
    assert of(tmp_path, "chef") == Revision()
