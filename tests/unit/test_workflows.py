"""What CI may reach: whoever can push a branch must not get what only main may have.

https://docs.github.com/en/actions/security-for-github-actions/security-guides/security-hardening-for-github-actions
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# What is written into a script's text runs there as code, unlike a variable of its environment.
ANYBODYS_WORDS = re.compile(
    r"\$\{\{[^}]*(inputs|github\.event|github\.head_ref|github\.ref_name)\b"
)


def workflow(file: Path) -> dict[str, Any]:
    # All scalars as they stand: `on` is a key here, not a truth.
    read: dict[str, Any] = yaml.load(file.read_text(), yaml.BaseLoader)
    return read


def jobs() -> Iterator[Any]:
    for file in WORKFLOWS:
        for name, job in workflow(file)["jobs"].items():
            yield pytest.param(workflow(file), job, id=f"{file.stem}: {name}")


JOBS = list(jobs())


def used(job: dict[str, Any]) -> list[str]:
    return [step["uses"] for step in job["steps"] if "uses" in step]


def privileged(everything: dict[str, Any], job: dict[str, Any]) -> bool:
    """Whether a job can become a role in AWS, or knows a secret."""
    may = {**everything.get("permissions", {}), **job.get("permissions", {})}
    return may.get("id-token") == "write" or "secrets." in str(job)


def test_there_are_jobs_of_both_kinds() -> None:
    assert {privileged(*one.values) for one in JOBS} == {True, False}


@pytest.mark.parametrize(("everything", "job"), JOBS)
def test_actions_are_named_by_what_they_are(everything: Any, job: Any) -> None:
    """A tag can be moved to other code by whoever owns the action, or its account."""
    assert [one for one in used(job) if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one)] == []


@pytest.mark.parametrize(("everything", "job"), JOBS)
def test_what_is_privileged_runs_on_main_alone_and_reads_nothing_that_others_wrote(
    everything: Any, job: Any
) -> None:
    if not privileged(everything, job):
        assert everything["permissions"] == {"contents": "read"}
        assert "environment" not in job
        return
    assert job["environment"] == "infrastructure"
    assert "github.ref == 'refs/heads/main'" in job["if"]
    assert set(everything["on"]) <= {"schedule", "workflow_dispatch"}
    assert [one for one in used(job) if one.startswith("actions/cache")] == []


@pytest.mark.parametrize(("everything", "job"), JOBS)
def test_no_script_is_made_of_words_that_anybody_may_choose(everything: Any, job: Any) -> None:
    scripts = [step.get("run", "") for step in job["steps"]]
    assert [text for text in scripts if ANYBODYS_WORDS.search(text)] == []


@pytest.mark.parametrize(("everything", "job"), JOBS)
def test_a_checkout_leaves_no_token_behind(everything: Any, job: Any) -> None:
    for step in job["steps"]:
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] == "false"
