"""What becomes of a run of benchmarks: one record, and one that fails takes none along."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import demo
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


def test_each_benchmark_is_there_and_says_what_it_measures() -> None:
    folder = Path(benchmarks.__file__).parent
    for name in benchmarks.NAMES:
        text = (folder / f"{name}.py").read_text()
        assert text.startswith('"""')
        assert "\ndef measure(" in text


def test_the_steps_of_a_demo_are_read_from_the_table_at_its_end() -> None:
    said = (
        "About it.\n  images  bake: 20 s, some minutes the first time\n\n"
        "  lab up                                   9 s\n"
        "  converge site-sf (beside)              101 s\n"
        "  the whole                              119 s\n"
    )
    assert demo.steps(said) == {
        "lab up": 9.0,
        "converge site-sf (beside)": 101.0,
        "the whole": 119.0,
    }
