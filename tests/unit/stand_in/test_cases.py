"""Small cookbooks and what must come of them, under the stand-in and, where given, real Chef.

`ORCHESTRATE_CHEF_COMMAND=/opt/cinc/bin/cinc-client` runs each case a second time, with that client.
Cases in which the stand-in knows more than Chef, or says it better, are marked `stand_in_only`.
"""

import os
import re
from pathlib import Path

import pytest
import yaml

from tests.unit.stand_in.client import Json, Ran, Workshop, missing, options, run_many

REAL = os.environ.get("ORCHESTRATE_CHEF_COMMAND", "")
FOLDER = Path(__file__).parents[2] / "cases" / "stand_in"
CASES: dict[str, Json] = {
    name: case
    for path in sorted(FOLDER.glob("*.yaml"))
    for name, case in yaml.safe_load(path.read_text()).items()
}
COMPARABLE = [name for name, case in CASES.items() if "stand_in_only" not in case]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Workshop, Ran]]:
    """All cases, run by the stand-in."""
    if why := missing():
        pytest.skip(why)
    workshops = [Workshop(tmp_path_factory.mktemp("case")) for _ in CASES]
    for workshop, case in zip(workshops, CASES.values(), strict=True):
        workshop.set_up(case)
    results = zip(workshops, run_many(workshops, list(CASES.values())), strict=True)
    return dict(zip(CASES, results, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_stand_in(name: str, ran: dict[str, tuple[Workshop, Ran]]) -> None:
    workshop, result = ran[name]
    assert result.output.startswith("stand-in 1 (not Chef)")
    check(workshop, result, CASES[name]["then"])


@pytest.mark.parity
@pytest.mark.parametrize("name", COMPARABLE)
def test_chef_does_the_same(name: str, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.set_up(CASES[name])
    for _ in range(CASES[name].get("runs", 1)):
        result = workshop.run(*options(CASES[name]))
    check(workshop, result, CASES[name]["then"])


def check(workshop: Workshop, result: Ran, expected: Json) -> None:
    assert result.code == (1 if "fails" in expected else 0), result.output
    check_failure(result, expected.get("fails"))
    check_changes(result, expected)
    check_files(workshop.here, expected)


def check_failure(result: Ran, wanted: Json | None) -> None:
    failed = result.report["failed"]
    if wanted is None:
        assert failed is None
        return
    assert wanted.get("error", "") in failed["error"]
    assert failed["where"] == wanted.get("where", failed["where"])
    assert failed["resource"] == wanted.get("resource", failed["resource"])


def check_changes(result: Ran, expected: Json) -> None:
    if "updated" in expected:
        assert result.updated == expected["updated"], result.output
    for resource, texts in expected.get("changes", {}).items():
        said = [one["changes"] for one in result.report["updated"] if one["resource"] == resource]
        # What lies between a label and its value is the client's to choose.
        plain = re.sub(r"  +", " ", "\n".join(said))
        assert [text for text in texts if text not in plain] == []
    if "never" in expected:
        assert expected["never"] not in str(result.report)
        assert expected["never"] not in result.output


def check_files(here: Path, expected: Json) -> None:
    files = {name: (here / name).read_text() for name in expected.get("files", {})}
    assert files == expected.get("files", {})
    modes = {name: (here / name).stat().st_mode & 0o7777 for name in expected.get("modes", {})}
    assert {name: f"{mode:04o}" for name, mode in modes.items()} == expected.get("modes", {})
    assert [name for name in expected.get("absent", []) if (here / name).exists()] == []
