import pytest

from orchestrate.terraform.events import (
    Diagnostic,
    Outputs,
    Planned,
    Refreshed,
    ResourceDone,
    ResourceFailed,
    ResourceStarted,
    Summary,
    Text,
    read,
)
from tests.unit.terraform.streams import CASES, recorded


def test_a_plan_announces_its_resources_a_summary_and_output_names() -> None:
    events = recorded("plan_create")
    planned = [event.address for event in events if isinstance(event, Planned)]
    assert sorted(planned) == [
        'terraform_data.each["a"]',
        'terraform_data.each["b"]',
        "terraform_data.first",
        "terraform_data.second",
    ]
    assert Summary("plan", add=4, change=0, remove=0) in events
    assert events[-1] == Outputs(("endpoint", "pre_shared_key"), {})


def test_an_apply_starts_and_ends_each_resource() -> None:
    events = recorded("apply_create")
    started = [event.address for event in events if isinstance(event, ResourceStarted)]
    done = [event.address for event in events if isinstance(event, ResourceDone)]
    assert sorted(started) == sorted(done)
    assert len(done) == 4
    assert all(event.id for event in events if isinstance(event, ResourceDone))


def test_a_sensitive_output_has_a_name_and_no_value() -> None:
    outputs = next(event for event in recorded("apply_create") if isinstance(event, Outputs))
    assert outputs.names == ("endpoint", "pre_shared_key")
    assert outputs.values == {"endpoint": "1"}


def test_a_clean_plan_only_reads() -> None:
    events = recorded("plan_clean")
    assert sum(isinstance(event, Refreshed) for event in events) == 4
    assert not any(isinstance(event, Planned) for event in events)


def test_a_failed_resource_has_an_event_and_an_error_with_its_place() -> None:
    events = recorded("apply_failed")
    assert ResourceFailed('aws_subnet.private["us-west-2a"]', "create", 0) in events
    error = next(event for event in events if isinstance(event, Diagnostic))
    assert error.place == 'aws_subnet.private["us-west-2a"], main.tf:13'


@pytest.mark.parametrize("name", sorted(file.stem for file in CASES.glob("*.jsonl")))
def test_no_recorded_line_is_misunderstood(name: str) -> None:
    texts = [event.text for event in recorded(name) if isinstance(event, Text)]
    assert not [text for text in texts if text.startswith("{")]


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ("", None),
        ("   ", None),
        ('{"type":"from_the_future","@message":"hello"}', None),
        ('{"@message":"no type at all"}', None),
        ("panic: runtime error", Text("panic: runtime error")),
        ('{"type":"planned_change"', Text('{"type":"planned_change"')),
        (
            '{"type":"planned_change","change":null}',
            Text('{"type":"planned_change","change":null}'),
        ),
        ('{"type":["odd"]}', Text('{"type":["odd"]}')),
        ('{"type":"log","@message":"\\u001b[0m\\u001b[32mgreen\\u001b[0m"}', Text("green")),
    ],
)
def test_lines_out_of_the_ordinary_do_no_harm(line: str, event: object) -> None:
    assert read(line) == event


def test_depth_without_end_is_a_line_like_any_other() -> None:
    assert isinstance(read('{"a": ' + "[" * 100_000), Text)
