"""What a plan changes, from what to what: the cases in tests/cases/terraform/differences.yaml."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrate.terraform.differences import Difference, differences

CASES = yaml.safe_load(
    (Path(__file__).parents[2] / "cases" / "terraform" / "differences.yaml").read_text()
)


def document(change: dict[str, Any], drift: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "resource_changes": [{"address": "a.b", "change": change}],
        "resource_drift": [{"address": "a.b", "change": drift}] if drift else [],
    }


def row(path: str, **told: Any) -> Difference:
    lists: dict[str, Any] = {key: tuple(told[key]) for key in ("added", "removed") if key in told}
    given: dict[str, Any] = {**told, **lists}
    return Difference(path, **given)


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_a_change_is_told_in_these_rows(case: dict[str, Any]) -> None:
    (rows,) = differences(document(case["change"])).values()
    assert rows == tuple(row(**each) for each in case["rows"])


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_s9_nothing_sensitive_is_in_any_row(case: dict[str, Any]) -> None:
    assert "hush" not in str(differences(document(case["change"])))


def test_the_cases_have_secrets_to_hide() -> None:
    assert json.dumps(CASES).count("hush") > 10


@pytest.mark.parametrize("actions", [["no-op"], ["read"], ["delete"]])
def test_what_stays_or_goes_has_no_rows(actions: list[str]) -> None:
    change = {"actions": actions, "before": {"a": 1}, "after": None}
    assert differences(document(change)) == {}


def test_what_was_changed_outside_of_terraform_is_marked_where_the_plan_changes_it_back() -> None:
    by_hand = {"actions": ["update"], "before": {"max": 9, "min": 1}, "after": {"max": 7, "min": 1}}
    back = {"actions": ["update"], "before": {"max": 7, "min": 1}, "after": {"max": 9, "min": 2}}
    (rows,) = differences(document(back, by_hand)).values()
    assert rows == (
        Difference("max", 7, 9, drifted=True),
        Difference("min", 1, 2),
    )


def test_what_only_drifted_is_not_told() -> None:
    drift = {"actions": ["update"], "before": {"tags": None}, "after": {"tags": {"x": "y"}}}
    unchanged = {"actions": ["no-op"], "before": {}, "after": {}}
    assert differences(document(unchanged, drift)) == {}
