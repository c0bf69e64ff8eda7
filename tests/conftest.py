"""What all tests share: golden files, refreshed by `pytest --refresh-golden`."""

import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"

# What pytest collects lives to the end. Looking through it for garbage, as often as Python does by
# itself, took a quarter of the CPU of a collection; each worker makes one.
gc.set_threshold(100_000, 50, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-golden",
        action="store_true",
        help="Write what the program makes now into tests/golden; review the difference in git.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Have labs report, and hear Ctrl-C again where a script started us in the background.

    That switches it off, and what is ignored here would be ignored by every program that the
    tests start and interrupt.
    No lab of a test begins with the images of another.
    """
    os.environ.setdefault("ORCHESTRATE_LAB_IMAGES", "")
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # `orchestrate verify` reads this file too, on its way to the hosts' suites, and has no labs.
    if config.pluginmanager.hasplugin("terminal"):
        from tests import lab_report

        lab_report.register(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refreshing runs the tests that compare golden files, and no other."""
    if config.getoption("--refresh-golden"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later look for garbage."""
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with tests/golden/NAME, or write it there when asked to."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--refresh-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), "not the golden file; see `make golden`"

    return compare
