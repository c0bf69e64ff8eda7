"""Which hosts may go next, so that enough of a group serve all the time."""

import pytest

from orchestrate.aws.groups import Group, Member, Template
from orchestrate.errors import OrchestrateError
from orchestrate.hosts.rolling import Seen, choose, label, members, next_batch

OLD, NEW = Template("lt-1", "1"), Template("lt-1", "2")


def seen(text: str) -> list[Seen]:
    """A letter a member: `o` old and `n` new ones that serve, `O` and `N` ones that don't."""
    return [
        Seen(f"{letter}{number}", letter in "nN", letter in "on")
        for number, letter in enumerate(text)
    ]


@pytest.mark.parametrize(
    ("text", "wanted", "unavailable", "batch"),
    [
        ("ooo", 3, 1, ["o0"]),
        ("ooo", 3, 2, ["o0", "o1"]),
        ("ooo", 3, 3, ["o0", "o1", "o2"]),
        ("nnn", 3, 1, []),
        ("", 0, 1, []),
        ("oo", 3, 1, []),
        ("ooN", 3, 1, []),
        ("oon", 3, 1, ["o0"]),
        ("nno", 3, 1, ["o2"]),
        ("oOo", 3, 1, ["O1"]),
        ("OOO", 3, 1, ["O0"]),
        ("OOO", 3, 2, ["O0", "O1"]),
        ("OO", 3, 1, []),
        ("oOoo", 4, 2, ["O1"]),
        ("ooon", 3, 0, ["o0"]),
        ("oooN", 3, 0, []),
        ("ooonn", 3, 0, ["o0", "o1"]),
        ("ooon", 3, 1, ["o0", "o1"]),
        ("oo", 1, 1, ["o0", "o1"]),
    ],
    ids=[
        "one at a time",
        "two at a time",
        "all at once, if so many may be unavailable",
        "all are current",
        "nobody is there",
        "one is still to be launched",
        "the new one doesn't serve yet",
        "the new one serves, the next may go",
        "the last",
        "one that serves nobody goes first",
        "of three that don't answer one goes",
        "of three that don't answer two go",
        "none that doesn't answer while one is to be launched",
        "one that doesn't answer is the second that is unavailable",
        "with a surge none needs to be unavailable",
        "the surge isn't in order yet",
        "a surge of two",
        "a surge of one, and one may be unavailable",
        "more there than wanted",
    ],
)
def test_as_many_go_as_leave_enough_in_service(
    text: str, wanted: int, unavailable: int, batch: list[str]
) -> None:
    found = seen(text)
    assert list(next_batch(found, wanted=wanted, max_unavailable=unavailable)) == batch


def test_a_batch_never_takes_more_than_may_be_unavailable() -> None:
    for size in range(1, 7):
        for pattern in range(4**size):
            text = "".join("onON"[pattern // 4**place % 4] for place in range(size))
            found = seen(text)
            batch = next_batch(found, wanted=size, max_unavailable=2)
            serving = {member.id for member in found if member.serving}
            assert len(serving - set(batch)) >= min(len(serving), size - 2), text
            assert len(batch) <= 2, text
            assert not {one.id for one in found if one.current} & set(batch), text


def group(*found: Member, name: str = "cpu", cluster: str = "cluster-us-west") -> Group:
    tags = {"group": name, "cluster": cluster}
    return Group(f"deeplab-{cluster}-{name}", "us-west-2", 0, 9, len(found), found, tags, NEW)


def test_members_serve_that_are_in_service_and_were_seen_in_order() -> None:
    found = members(
        group(
            Member("i-old", template=OLD),
            Member("i-new", template=NEW),
            Member("i-pending", "Pending", template=NEW),
            Member("i-standby", "Standby", template=OLD),
            Member("i-unseen", template=NEW),
            Member("i-strange", template=None),
            Member("i-leaving", "Terminating:Wait", template=OLD),
            Member("i-terminated-by-us", template=OLD),
        ),
        NEW,
        {"i-old", "i-new", "i-pending", "i-standby", "i-strange"},
        ["i-terminated-by-us"],
    )
    assert found == [
        Seen("i-old", False, True),
        Seen("i-new", True, True),
        Seen("i-pending", True, False),
        Seen("i-unseen", True, False),
        Seen("i-strange", False, True),
    ]


KNOWN = [group(), group(cluster="cluster-eu-west"), group(name="gpu8")]


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["cpu"], ["cpu.cluster-eu-west", "cpu.cluster-us-west"]),
        (["cpu.cluster-us-west"], ["cpu.cluster-us-west"]),
        (["gpu8", "gpu8.cluster-us-west"], ["gpu8.cluster-us-west"]),
    ],
)
def test_groups_are_named_alone_or_with_their_cluster(words: list[str], labels: list[str]) -> None:
    assert [label(one) for one in choose(KNOWN, words)] == labels


def test_every_word_that_is_no_group_is_reported() -> None:
    with pytest.raises(OrchestrateError) as error:
        choose(KNOWN, ["gpu9", "bastion.cluster-us-west", "cpu"])
    assert "no node group 'gpu9'; did you mean gpu8" in error.value.what
    assert "'bastion.cluster-us-west' is no node group; `orchestrate apply`" in error.value.what
