"""What becomes of a run of benchmarks: one record, and one that fails takes none along."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.measure import Measurement, Section
from benchmarks.report import report

ORDER = ("first", "second")
DAY = datetime(2026, 11, 30, tzinfo=UTC)


def section(value: float) -> Section:
    return Section("About it.", (Measurement("a wait", value, "ms", 100.0),), 0.5, 12.3)


def test_each_number_stands_beside_its_target_and_its_ratio() -> None:
    text = report("", "first", section(150.0), ORDER, DAY)
    assert "| a wait | 150 ms | 100 ms | 1.50× | missed |" in text
    assert "in 12 s at a load of 0.5" in text


def test_a_new_section_replaces_its_own_and_keeps_the_others_in_their_order() -> None:
    text = report("", "second", section(50.0), ORDER, DAY)
    text = report(text, "first", section(150.0), ORDER, DAY)
    text = report(text, "second", section(60.0), ORDER, DAY)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## first",
        "## second",
    ]
    assert "50 ms |" not in text.replace("150 ms |", "")
    assert "| a wait | 60 ms | 100 ms | 0.60× | met |" in text


def test_one_that_fails_is_named_at_the_end_and_the_others_are_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written: list[str] = []

    def measure() -> Iterator[Measurement]:
        yield Measurement("a wait", 1.0, "ms")

    def fail() -> Iterator[Measurement]:
        raise RuntimeError("no compiler")

    for name, what in {"first": fail, "second": measure}.items():
        module = ModuleType(f"benchmarks.{name}")
        vars(module)["measure"] = what
        monkeypatch.setitem(sys.modules, f"benchmarks.{name}", module)

    def write(name: str, _section: Section, _order: list[str], _file: Path) -> None:
        written.append(name)

    monkeypatch.setattr(benchmarks, "write", write)
    with pytest.raises(SystemExit, match="first"):
        benchmarks.main(["first", "second"])
    assert written == ["second"]
    assert "no compiler" in capsys.readouterr().err
