import re
from contextlib import closing
from pathlib import Path

from orchestrate.terraform.events import Drifted, Event, Refreshed, Summary
from orchestrate.terraform.log import Log, human
from tests.unit.terraform.streams import recorded


def test_an_apply_reads_as_a_story() -> None:
    lines = [human(event) for event in recorded("apply_create")]
    assert "terraform_data.first: create ..." in lines
    assert any(re.match(r"terraform_data.first: create done after \d+ s \[.+\]", x) for x in lines)
    assert "apply: 4 added, 0 changed, 0 removed" in lines


def test_a_plan_tells_what_is_to_be_done() -> None:
    lines = [human(event) for event in recorded("plan_changes")]
    assert 'terraform_data.each["a"]: will replace (tainted)' in lines
    assert "plan: 2 to add, 1 to change, 3 to remove" in lines


def test_no_sensitive_output_reaches_the_log() -> None:
    for name in ("plan_create", "apply_create", "plan_changes", "apply_changes"):
        assert "hush" not in "\n".join(human(event) for event in recorded(name))


def test_every_line_has_its_time_or_belongs_to_the_one_above(tmp_path: Path) -> None:
    file = tmp_path / "west.log"
    with closing(Log(file)) as log:
        log.begin(["terraform", "plan"])
        for event in recorded("locked"):
            log.write(event)
        log.end("failed with exit code 1")
    lines = file.read_text().splitlines()
    assert re.match(r"\d\d:\d\d:\d\d \$ terraform plan$", lines[0])
    assert all(re.match(r"\d\d:\d\d:\d\d |  ", line) for line in lines)
    assert lines[-1].endswith("terraform failed with exit code 1")


def test_what_nobody_touched_is_one_line_however_much_it_is(tmp_path: Path) -> None:
    file = tmp_path / "west.log"
    events: list[Event] = [
        Refreshed("a.b"),
        *[Drifted(f"a.b[{number}]", "update") for number in range(60)],
        Summary("plan", 0, 1, 0),
    ]
    with closing(Log(file)) as log:
        for event in events:
            log.write(event)
    assert [line.split(" ", 1)[1] for line in file.read_text().splitlines()] == [
        "a.b: read",
        "60 resources differ in details from what the last apply knew",
        "plan: 0 to add, 1 to change, 0 to remove",
    ]
