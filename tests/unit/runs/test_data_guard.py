"""Data is destroyed only by name."""

from dataclasses import replace

import pytest

from orchestrate.changes import Action, Change
from orchestrate.runs.data_guard import DataWouldBeLost, data_name, idle, refuse_unnamed


def change(address: str, action: Action = Action.DESTROY) -> Change:
    resource_type = next(part for part in address.split(".") if part.startswith("aws_"))
    return Change("cluster-a", address, resource_type, action)


BUCKET = change('module.storage.aws_s3_bucket.this["datasets"]')
EFS = change('module.storage.aws_efs_file_system.this["home"]', Action.REPLACE)
ZONE = change("module.dns.aws_route53_zone.private")


def test_data_is_called_by_stack_kind_and_name() -> None:
    assert [data_name(it) for it in (BUCKET, EFS, ZONE)] == [
        "cluster-a/bucket/datasets",
        "cluster-a/efs/home",
        "cluster-a/zone/private",
    ]


@pytest.mark.parametrize(
    "allowed",
    [
        (),
        ("*",),
        ("?*",),
        ("cluster-*",),
        ("cluster-*/*",),
        ("[a-z]*/bucket/datasets",),
        ("cluster-b/*",),
        ("cluster-a/efs/home",),
    ],
)
def test_a_bucket_not_named_is_not_destroyed(allowed: tuple[str, ...]) -> None:
    with pytest.raises(DataWouldBeLost, match="--destroy-data cluster-a/bucket/datasets"):
        refuse_unnamed([BUCKET, EFS], allowed)


@pytest.mark.parametrize(
    "allowed", [("cluster-a/*",), ("cluster-a/bucket/*", "cluster-a/efs/home")]
)
def test_named_data_may_go(allowed: tuple[str, ...]) -> None:
    refuse_unnamed([BUCKET, EFS], allowed)


def test_adding_or_changing_data_needs_no_name() -> None:
    refuse_unnamed(
        [change("aws_s3_bucket.x", Action.ADD), change("aws_s3_bucket.y", Action.CHANGE)], ()
    )


def test_what_was_never_finished_is_no_data_to_lose() -> None:
    refuse_unnamed([replace(EFS, unfinished=True)], ())


@pytest.mark.parametrize(
    "at_stake",
    [EFS, replace(ZONE, unfinished=True)],
    ids=["finished", "destroyed, not made anew"],
)
def test_all_else_is(at_stake: Change) -> None:
    with pytest.raises(DataWouldBeLost):
        refuse_unnamed([at_stake], ())


@pytest.mark.parametrize(
    ("patterns", "meaningless"),
    [
        (["cluster-a/*"], []),
        (["cluster-a/bucket/datasets", "cluster-a/bucket/dataset"], ["cluster-a/bucket/dataset"]),
        (["cluster-a/bucket/*", "cluster-b/*"], ["cluster-b/*"]),
        (["*"], ["*"]),
        ([], []),
    ],
)
def test_a_pattern_that_names_nothing_is_told_apart(
    patterns: list[str], meaningless: list[str]
) -> None:
    assert idle(patterns, ["cluster-a/bucket/datasets", "cluster-a/efs/home"]) == meaningless
