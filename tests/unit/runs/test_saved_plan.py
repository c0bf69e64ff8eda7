"""The folder of a saved plan: for its owner, and never for git."""

import json
import stat
import subprocess
from pathlib import Path

import pytest

from orchestrate.errors import OrchestrateError
from orchestrate.plain_text import is_word
from orchestrate.runs import saved_plan
from orchestrate.runs.saved_plan import SavedPlan, SavedStack
from tests.hostile import HOSTILE


def test_git_ignores_a_saved_plan_wherever_it_lies(tmp_path: Path) -> None:
    plan = tmp_path / "made.tfplan"
    plan.write_bytes(b"secret")
    stack = SavedStack("digest", empty=False, changes=())
    folder = tmp_path / "checkout" / "plans" / "friday"
    saved = SavedPlan("apply", "lab", "123456789012", "run", {"west": stack})
    saved_plan.save(folder, saved, {"west": plan})
    git = ["git", "-C", str(tmp_path / "checkout")]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    listed = subprocess.run([*git, "ls-files"], check=True, capture_output=True, text=True)
    assert listed.stdout == ""
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert saved_plan.load(folder) == saved


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_manifest_names_no_stack_that_could_be_a_path(name: str, tmp_path: Path) -> None:
    manifest = {
        "version": saved_plan.VERSION,
        "command": "apply",
        "target": "lab",
        "account": "123456789012",
        "run": "r",
        "stacks": {name: {"digest": "d", "empty": False, "changes": []}},
    }
    (tmp_path / saved_plan.MANIFEST).write_text(json.dumps(manifest))
    if is_word(name):
        assert list(saved_plan.load(tmp_path).stacks) == [name]
        return
    with pytest.raises(OrchestrateError, match="not a saved plan") as refused:
        saved_plan.load(tmp_path)
    assert refused.value.what.isprintable()


@pytest.mark.parametrize("text", ["[]", "1", '"a"', "null", "[" * 5000, '{"version": 1}'])
def test_a_manifest_of_another_shape_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / saved_plan.MANIFEST).write_text(text)
    with pytest.raises(OrchestrateError, match="not a saved plan"):
        saved_plan.load(tmp_path)
