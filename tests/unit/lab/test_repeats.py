"""Calls that an SDK sends again: which are known, which were asked for, what is forgotten."""

from dataclasses import dataclass, replace

import pytest

from orchestrate.lab.call import Call
from orchestrate.lab.repeats import KEEP, KEEP_S, LARGEST, Answer, Repeats, fingerprint

CREATE = Call("123456789012", "us-west-2", "ec2", "CreateVpc", invocation="one")
AGAIN = replace(CREATE, attempt=2)
DONE = Answer("200 OK", (("Content-Type", "text/xml"),), b"<vpc/>")


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def repeats(clock: Clock) -> Repeats:
    return Repeats(clock)


def test_a_call_that_was_done_gets_its_answer_again_and_counts_as_come_twice(
    repeats: Repeats,
) -> None:
    assert repeats.arrived(CREATE, "what") is False
    repeats.keep(CREATE, DONE)

    assert repeats.arrived(AGAIN, "what") is True
    assert repeats.answer(AGAIN, "what") == DONE


def test_an_id_seen_again_counts_even_where_the_sdk_does_not_number_its_attempts(
    repeats: Repeats,
) -> None:
    repeats.arrived(CREATE, "what")

    assert repeats.arrived(CREATE, "what") is True


def test_a_second_attempt_of_which_the_first_never_came_counts(repeats: Repeats) -> None:
    assert repeats.arrived(AGAIN, "what") is True


@pytest.mark.parametrize("status", ["503 Service Unavailable", "400 Bad Request", "409 Conflict"])
def test_who_was_refused_may_try_again_and_is_done_again(repeats: Repeats, status: str) -> None:
    repeats.arrived(CREATE, "what")
    repeats.keep(CREATE, replace(DONE, status=status))

    assert repeats.arrived(AGAIN, "what") is False
    assert repeats.answer(AGAIN, "what") is None


def test_who_was_struck_by_a_fault_may_try_again(repeats: Repeats) -> None:
    repeats.arrived(CREATE, "what")
    repeats.expect(CREATE)

    assert repeats.arrived(AGAIN, "what") is False


def test_another_call_of_the_same_id_is_done(repeats: Repeats) -> None:
    repeats.arrived(CREATE, "what")
    repeats.keep(CREATE, DONE)

    assert repeats.answer(AGAIN, "something else") is None


def test_what_only_reads_is_read_again(repeats: Repeats) -> None:
    read = replace(CREATE, action="DescribeVpcs")
    repeats.arrived(read, "what")
    repeats.keep(read, DONE)

    assert repeats.answer(read, "what") is None


def test_calls_without_an_id_are_all_new(repeats: Repeats) -> None:
    nameless = replace(CREATE, invocation="")
    repeats.arrived(nameless, "what")
    repeats.keep(nameless, DONE)

    assert repeats.arrived(nameless, "what") is False
    assert repeats.answer(nameless, "what") is None


def test_a_call_is_forgotten_after_a_time(repeats: Repeats, clock: Clock) -> None:
    repeats.arrived(CREATE, "what")
    repeats.keep(CREATE, DONE)
    clock.now = KEEP_S + 1
    repeats.arrived(replace(CREATE, invocation="two"), "what")

    assert repeats.answer(CREATE, "what") is None


def test_so_many_are_remembered_and_no_large_answers(repeats: Repeats) -> None:
    repeats.arrived(CREATE, "what")
    repeats.keep(CREATE, replace(DONE, body=b"x" * (LARGEST + 1)))
    assert repeats.answer(CREATE, "what") is None

    for number in range(KEEP + 1):
        one = replace(CREATE, invocation=str(number))
        repeats.arrived(one, "what")
        repeats.keep(one, DONE)

    assert repeats.answer(replace(CREATE, invocation="0"), "what") is None
    assert repeats.answer(replace(CREATE, invocation=str(KEEP)), "what") == DONE


@pytest.mark.parametrize(
    ("call", "method", "path", "query", "body"),
    [
        (replace(CREATE, account="999999999999"), "POST", "/", "", b"x"),
        (replace(CREATE, region="eu-west-1"), "POST", "/", "", b"x"),
        (CREATE, "PUT", "/", "", b"x"),
        (CREATE, "POST", "/bucket", "", b"x"),
        (CREATE, "POST", "/", "acl", b"x"),
        (CREATE, "POST", "/", "", b"y"),
    ],
)
def test_calls_that_differ_in_anything_are_different(
    call: Call, method: str, path: str, query: str, body: bytes
) -> None:
    here = fingerprint(CREATE, "POST", "/", "", b"x")

    assert here == fingerprint(AGAIN, "POST", "/", "", b"x")
    assert fingerprint(call, method, path, query, body) != here
