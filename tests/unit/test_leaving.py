"""Runs that take stacks away: what goes along, what stays, what is said of what is not there."""

import json
import shutil
import threading
from dataclasses import replace
from typing import Any, cast

import pytest

from orchestrate import apply
from orchestrate.apply import Request
from orchestrate.aws.session import Session
from orchestrate.cli import summary
from orchestrate.errors import AwsError, NotConfirmed
from orchestrate.run_report import Report
from orchestrate.runs import history, resume
from orchestrate.runs.choose import LivingDependents
from orchestrate.runs.schedule import meanwhile
from orchestrate.shell import Stop
from tests.unit.conftest import keys
from tests.unit.stories import STACKS, Person, Story, outcomes


def test_a_cluster_that_goes_takes_its_links_first_and_mesh_stays(story: Story) -> None:
    story.exists(*STACKS)
    story.joins("east", "west")
    report = story.run(Person(), "west", destroying=True)
    assert list(report.applied) == ["west", "mesh"]
    asked = (story.work.leaving / "mesh" / "arguments").read_text()
    assert '-target=aws_route53_record.delegation["west"]' in asked
    assert "-destroy" not in asked
    assert "east" not in asked
    assert "-destroy" in (story.work.leaving / "west" / "arguments").read_text()
    assert story.asked("east") == []


def test_a_cluster_stays_where_its_links_could_not_be_taken(story: Story) -> None:
    story.exists(*STACKS)
    story.joins("east", "west")
    story.writes("mesh", ("delete", "aws_route53_record.delegation"), fails=True)
    report = story.run(Person(), "west", destroying=True)
    assert outcomes(report) == {"west": "skipped", "mesh": "failed"}
    # Resuming must not name mesh: that would destroy the others' links as well.
    left = resume.unfinished(history.past_runs(story.work.runs)[-1], lambda _: False)
    assert left is not None
    assert left.left == ("west",)


def test_what_the_fleet_no_longer_has_is_told_of_and_destroyed_by_its_name(story: Story) -> None:
    story.exists("global", "east", "old")
    assert story.run(Person()).left_behind == ["old"]
    folder = story.work.leaving / "old"
    folder.mkdir()
    shutil.copytree(story.work.leaving / "east", folder, dirs_exist_ok=True)
    report = story.run(Person(), "old", destroying=True)
    assert (outcomes(report), report.left_behind) == ({"old": "done"}, [])


def test_a_stack_that_others_left_behind_keeps_global(story: Story) -> None:
    story.exists("global", "old")
    with pytest.raises(LivingDependents, match="global is needed by old"):
        story.run(Person(), "global", destroying=True)


def test_what_was_named_and_is_not_there_is_in_the_final_table(story: Story) -> None:
    story.exists("global")
    report = story.run(Person(), "east", "west", destroying=True)
    assert {name: str(one.outcome) for name, one in report.final.items()} == {
        "east": "nothing to do",
        "west": "nothing to do",
    }
    assert report.exit_code == 0


def test_after_a_plan_that_failed_every_stack_is_in_the_final_table(story: Story) -> None:
    (story.work.build / "west" / "plan.tfplan").unlink()
    report = story.run(Person(), "east", "west")
    assert {name: str(one.outcome) for name, one in report.final.items()} == {
        "global": "not started",
        "east": "not started",
        "west": "failed",
    }


@pytest.mark.parametrize("stacks", [("global",), ("east", "west")])
def test_where_no_plan_came_to_be_no_empty_table_is_shown(
    story: Story, stacks: tuple[str, ...]
) -> None:
    for stack in ("global", *stacks):
        (story.work.build / stack / "plan.tfplan").unlink(missing_ok=True)
    person = Person()
    assert story.run(person, *stacks).exit_code == 1
    assert person.shown == []


def test_a_plan_with_anothers_credentials_shows_nothing_and_says_whose_they_are(
    story: Story,
) -> None:
    target = replace(story.work.target, environment=keys("999999999999"))
    work = replace(story.work, target=target, session=Session(target))
    person = Person()
    with pytest.raises(AwsError, match="belong to account 999999999999"):
        apply.plan(work, Request("plan", ("orchestrate",), ("east",)), person)
    assert person.shown == []


def test_states_are_read_only_for_a_stack_that_reads_others(story: Story) -> None:
    apply.plan(story.work, Request("plan", ("orchestrate",), ("east",)), Person())
    assert "alive" not in vars(story.work)
    apply.plan(story.work, Request("plan", ("orchestrate",), ("mesh",)), Person())
    assert "alive" in vars(story.work)


def test_a_question_that_fails_stops_what_is_at_work_beside_it() -> None:
    stop, stopped = Stop(), threading.Event()
    stop.on_request(stopped.set)

    def refused() -> None:
        raise AwsError("refused")

    with pytest.raises(AwsError), meanwhile(refused, stop):
        assert stopped.wait(60)


def bucket_of_west(story: Story) -> None:
    """West's state has a bucket, and AWS has it with something in it."""
    s3 = story.work.session.s3("us-west-2")
    bucket = {"mode": "managed", "type": "aws_s3_bucket", "name": "this"}
    instance = {"index_key": "results", "attributes": {"bucket": "west-results"}}
    body = json.dumps({"resources": [{**bucket, "instances": [instance]}]}).encode()
    s3.put_object(Bucket=story.work.bucket.name, Key="west.tfstate", Body=body)
    place = {"LocationConstraint": "us-west-2"}
    s3.create_bucket(Bucket="west-results", CreateBucketConfiguration=place)  # type: ignore[arg-type]
    s3.put_object(Bucket="west-results", Key="model", Body=b"weights")
    story.writes("west", ("delete", 'aws_s3_bucket.this["results"]'))


def test_a_named_bucket_is_emptied_once_the_operator_agreed(story: Story) -> None:
    bucket_of_west(story)
    s3, data = story.work.session.s3("us-west-2"), ("west/bucket/results",)
    with pytest.raises(NotConfirmed):
        story.run(Person(answer=False), "west", destroying=True, destroy_data=data)
    assert s3.list_objects_v2(Bucket="west-results")["KeyCount"] == 1
    person = Person()
    story.run(person, "west", destroying=True, destroy_data=data)
    assert "west/bucket/results: holds 1 objects and versions; it is emptied first" in person.told
    assert s3.list_objects_v2(Bucket="west-results")["KeyCount"] == 0
    s3.delete_bucket(Bucket="west-results")


def planned(story: Story, person: Person, *targets: str) -> Report:
    request = Request("plan", ("orchestrate",), targets, destroying=True)
    return apply.plan(story.work, request, person)


def test_a_plan_of_a_destroy_shows_what_would_be_in_its_way_and_touches_nothing(
    story: Story,
) -> None:
    bucket_of_west(story)
    person = Person()
    report = planned(story, person, "west")
    what = "west/bucket/results: holds 1 objects and versions; it is emptied first"
    assert person.told == [what]
    assert [str(one) for one in report.in_the_way] == [what]
    told = cast("dict[str, Any]", summary.report_json(report))
    assert told["in_the_way"][0]["name"] == "west/bucket/results"
    s3 = story.work.session.s3("us-west-2")
    assert s3.list_objects_v2(Bucket="west-results")["KeyCount"] == 1
    s3.delete_object(Bucket="west-results", Key="model")
    s3.delete_bucket(Bucket="west-results")


def test_a_plan_whose_reader_may_not_look_says_so_and_is_a_plan(story: Story) -> None:
    bucket_of_west(story)
    story.work.session.s3("us-west-2").delete_object(Bucket="west-results", Key="model")
    story.work.session.s3("us-west-2").delete_bucket(Bucket="west-results")
    person = Person()
    report = planned(story, person, "west")
    assert report.exit_code == 2
    assert [line.partition(": could not be seen: ")[0] for line in person.told] == [
        "what is in the way"
    ]


def test_a_plan_in_whose_way_nothing_is_says_nothing(story: Story) -> None:
    story.exists("west")
    story.writes("west", ("delete", "aws_instance.bastion"))
    person = Person()
    assert (planned(story, person, "west").in_the_way, person.told) == ([], [])


def test_records_of_another_stack_that_goes_along_are_not_others(story: Story) -> None:
    zones = story.work.session.route53("us-west-2")
    made = zones.create_hosted_zone(Name="deeplab.example.net", CallerReference="1")
    zone = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
    names = ["west.deeplab.example.net", "wiki.deeplab.example.net"]
    for name in names:
        record = {"Name": name, "Type": "NS", "TTL": 60, "ResourceRecords": [{"Value": "ns.a."}]}
        change = {"Action": "CREATE", "ResourceRecordSet": record}
        zones.change_resource_record_sets(HostedZoneId=zone, ChangeBatch={"Changes": [change]})
    own = {"fqdn": names[0], "name": names[0], "type": "NS", "zone_id": zone}
    parts = {
        "global": ("aws_route53_zone", "parent", {"zone_id": zone}),
        "mesh": ("aws_route53_record", "delegation", own),
    }
    for stack, (kind, name, attributes) in parts.items():
        resource = {"mode": "managed", "type": kind, "name": name}
        body = {"resources": [{**resource, "instances": [{"attributes": attributes}]}]}
        story.work.session.s3("us-west-2").put_object(
            Bucket=story.work.bucket.name, Key=f"{stack}.tfstate", Body=json.dumps(body).encode()
        )
        story.writes(stack, ("delete", f"{kind}.{name}"))
    person = Person()
    story.run(person, "global", "mesh", destroying=True, destroy_data=("global/zone/*",))
    (said,) = [line for line in person.told if line.startswith("global/zone/parent")]
    assert "wiki.deeplab.example.net NS" in said
    assert "west.deeplab" not in said
