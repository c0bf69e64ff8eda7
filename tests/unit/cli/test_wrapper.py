"""`bin/orchestrate` and what it reads: a failure before the command runs has no code that means
something (2 is "changes"), and says in a line what to do.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrate.caches import cache_folder
from tests.unit.unkind import UNKIND

ROOT = Path(__file__).resolve().parents[3]
WRAPPER = ROOT / "bin" / "orchestrate"
Env = dict[str, str]


def run(wrapper: Path, env: Env, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [wrapper, *(words or ("--version",))],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def env() -> Env:
    return {"PATH": os.environ["PATH"], "ORCHESTRATE_CACHE": str(cache_folder())}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout with the wrapper, what it reads and the lock; its `bin/orchestrate`."""
    for part in ("bin", "scripts"):
        shutil.copytree(ROOT / part, tmp_path / "checkout" / part)
    shutil.copy(ROOT / "Pipfile.lock", tmp_path / "checkout")
    return tmp_path / "checkout" / "bin" / "orchestrate"


def test_without_home_the_accounts_own_is_taken(env: Env, tmp_path: Path) -> None:
    """Cron and systemd start programs without HOME."""
    home = run(WRAPPER, {"PATH": env["PATH"]}, tmp_path)
    assert home.returncode in (0, 1), "2 would say that a plan found changes"
    assert "parameter not set" not in home.stderr
    assert run(WRAPPER, env, tmp_path).returncode == 0


def no_lock(checkout: Path, env: Env) -> Env:
    (checkout / "Pipfile.lock").unlink()
    return env


def no_prelude(checkout: Path, env: Env) -> Env:
    (checkout / "scripts" / "prelude.sh").unlink()
    return env


def never_built(checkout: Path, env: Env) -> Env:
    return {**env, "ORCHESTRATE_CACHE": str(checkout / "empty")}


def no_python(checkout: Path, env: Env) -> Env:
    """As an upgrade of the system leaves it: the environment's `python` points nowhere."""
    cache = checkout / "cache"
    digest = subprocess.run(
        ["sha256sum", checkout / "Pipfile.lock"], capture_output=True, text=True, check=True
    ).stdout[:12]
    (cache / f"venv-{digest}" / "bin").mkdir(parents=True)
    (cache / f"venv-{digest}" / ".complete").touch()
    (cache / f"venv-{digest}" / "bin" / "python").symlink_to("/nonexistent/python3.11")
    return {**env, "ORCHESTRATE_CACHE": str(cache)}


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (no_lock, "checkout Pipfile.lock"),
        (never_built, "setup"),
        (no_python, "setup"),
        (no_prelude, "prelude.sh"),
    ],
)
def test_what_fails_before_the_command_ends_with_1_and_one_line(
    broken: Callable[[Path, Env], Env], says: str, copy: Path, env: Env, tmp_path: Path
) -> None:
    done = run(copy, broken(copy.parents[1], env), tmp_path)
    assert done.returncode == 1
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_building_the_environment_in_a_cache_nobody_may_write_to_says_so(
    copy: Path, env: Env
) -> None:
    script = copy.parents[1] / "scripts" / "environment.sh"
    (copy.parents[1] / "file").touch()
    cache = {**env, "ORCHESTRATE_CACHE": str(copy.parents[1] / "file" / "cache")}
    done = run(script, cache, copy.parent, "--engine")
    assert done.returncode == 1
    assert "ORCHESTRATE_CACHE" in done.stderr


def test_in_a_folder_that_is_gone_it_says_so(env: Env, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    script = 'cd "$1" && rmdir "$1" && exec "$2" check'
    done = subprocess.run(
        ["sh", "-c", script, "sh", here, WRAPPER],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "is gone" in done.stderr


def test_no_variable_of_another_programs_keeps_it_from_starting(env: Env, tmp_path: Path) -> None:
    """PYTHONHOME keeps a Python from starting, PYTHONINSPECT from ending."""
    done = run(WRAPPER, {**UNKIND, **env}, tmp_path, "--root", str(ROOT), "check")
    kind = run(WRAPPER, env, tmp_path, "--root", str(ROOT), "check")
    assert (done.returncode, done.stdout, done.stderr) == (
        kind.returncode,
        kind.stdout,
        kind.stderr,
    )
    assert run(WRAPPER, {**UNKIND, **env}, tmp_path).stdout.startswith("orchestrate")
