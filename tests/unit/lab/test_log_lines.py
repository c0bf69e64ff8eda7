"""The lab's log, written with what callers send."""

import logging

import pytest

from orchestrate.lab.log_lines import LogLines


def line(message: str, *given: object) -> str:
    record = logging.LogRecord("lab.api", logging.INFO, "", 0, message, given, None)
    return LogLines().format(record)


@pytest.mark.parametrize(
    "hostile",
    [
        "GET /a\n2026-11-30 lab lab ready",
        "a\r\nb",
        "\x1b[2J",
        "\x00",
        "\u2028",
        "\u202e",
        "\x9b31m",
    ],
)
def test_a_caller_writes_no_line_of_its_own(hostile: str) -> None:
    told = line("200 s3 %s us-west-2", hostile)
    assert len(told.splitlines()) == 1
    assert told.isprintable()


def test_names_of_all_languages_stay_as_they_are() -> None:
    assert line("200 s3 %s", "GET /ключ ü").endswith(" lab.api 200 s3 GET /ключ ü")


def test_a_traceback_keeps_its_lines() -> None:
    try:
        raise ValueError("broke")
    except ValueError as error:
        record = logging.LogRecord(
            "lab", logging.ERROR, "", 0, "reconcile", (), (ValueError, error, error.__traceback__)
        )
    assert len(LogLines().format(record).splitlines()) > 2
