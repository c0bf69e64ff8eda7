"""The recorded streams of tests/cases/terraform, as events."""

from pathlib import Path

from orchestrate.terraform.events import Diagnostic, Event, read

CASES = Path(__file__).parents[2] / "cases" / "terraform"


def recorded(name: str) -> list[Event]:
    lines = (CASES / f"{name}.jsonl").read_text().splitlines()
    return [event for event in map(read, lines) if event is not None]


def diagnostics(name: str) -> list[Diagnostic]:
    return [event for event in recorded(name) if isinstance(event, Diagnostic)]
