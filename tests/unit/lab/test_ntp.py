"""The time service says what time it is, in NTP's terms, and answers nothing else."""

import pytest

from orchestrate.lab.ntp import HEADER, answer, timestamp

ASKED_AT = 0x1234_5678_9ABC_DEF0
MIDNIGHT_1970 = 2_208_988_800


def question(version: int = 4, mode: int = 3) -> bytes:
    return HEADER.pack(version << 3 | mode, 0, 6, 0, 0, 0, b"", 0, 0, 0, ASKED_AT)


def test_the_answer_holds_the_question_and_both_times() -> None:
    told = answer(question(), received_ns=1_000_000_000, now_ns=1_500_000_000)

    assert told is not None
    flags, stratum, poll, *_, origin, received, sent = HEADER.unpack(told)
    assert (flags, stratum, poll) == (4 << 3 | 4, 3, 6)
    assert origin == ASKED_AT
    assert received == (MIDNIGHT_1970 + 1) << 32
    assert sent == (MIDNIGHT_1970 + 1) << 32 | 1 << 31


@pytest.mark.parametrize("junk", [b"", b"short", question(mode=4), question(version=7)])
def test_what_is_no_question_gets_no_answer(junk: bytes) -> None:
    assert answer(junk, 0, 0) is None


def test_the_seconds_wrap_in_2036() -> None:
    february_2036 = (2**32 - MIDNIGHT_1970) * 10**9
    assert timestamp(february_2036) == 0
