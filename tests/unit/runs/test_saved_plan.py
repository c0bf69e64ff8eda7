"""The folder of a saved plan: for its owner, and never for git."""

import stat
import subprocess
from pathlib import Path

from orchestrate.runs import saved_plan
from orchestrate.runs.saved_plan import SavedPlan, SavedStack


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
