"""No two hosts have a user in common, nor any of the machine's."""

from itertools import pairwise

import pytest

from orchestrate.errors import LabError
from orchestrate.lab.spec import SLOTS
from orchestrate.lab.topology import Slot
from orchestrate.lab.user_ranges import FIRST, IDS, MOST, UserRanges


def test_every_host_has_users_of_its_own_until_it_goes() -> None:
    ranges = UserRanges(Slot(0))
    one, two = ranges.take("i-1"), ranges.take("i-2")

    assert (one, two) == (FIRST, FIRST + IDS)
    assert ranges.take("i-1") == one
    ranges.give_back("i-1")
    assert ranges.take("i-3") == one
    assert ranges.take("i-1") == FIRST + 2 * IDS


def test_a_host_for_which_no_users_are_left_is_refused() -> None:
    ranges = UserRanges(Slot(0))
    assert len({ranges.take(f"i-{number}") for number in range(MOST)}) == MOST
    with pytest.raises(LabError, match="256 hosts"):
        ranges.take("i-one-more")
    ranges.give_back("i-7")
    assert ranges.take("i-one-more") == FIRST + 7 * IDS


def test_labs_share_none_and_leave_the_machine_s_alone() -> None:
    firsts = [UserRanges(Slot(slot)).take("i-1") for slot in range(SLOTS)]

    assert all(after - before == MOST * IDS for before, after in pairwise(firsts))
    # Of logins and their subordinates (subuid(5)) below, of systemd's and 32 bits above.
    assert firsts[0] == 2**19
    assert firsts[-1] + MOST * IDS <= 2**31
