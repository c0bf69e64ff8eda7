"""Images baked end to end: Packer, a converge, the suites, copies in another region, all real.

One repository, in the order of this file: what the first test bakes the others work with.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrate.images import catalogue_file
from orchestrate.images.catalogue import Build, promoted, recorded
from orchestrate.runs import history
from tests.lab import bakery
from tests.lab.bakery import ABROAD, HERE, RECIPE, Bakery
from tests.lab.conftest import LabFolder
from tests.lab.machines import until
from tests.lab.patience import PATIENCE_S

pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def shop(lab: LabFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bakery]:
    if not shutil.which("packer"):
        pytest.skip("packer is not installed")
    made = bakery.build(lab, tmp_path_factory.mktemp("bakery"))
    yield made
    for instance in made.instances():
        made.ec2().terminate_instances(InstanceIds=[instance["InstanceId"]])
    for region in (HERE, ABROAD):
        for image in made.images(region):
            made.ec2(region).deregister_image(ImageId=image["ImageId"])
        for snapshot in made.snapshots(region):
            made.ec2(region).delete_snapshot(SnapshotId=snapshot["SnapshotId"])


def in_use(shop: Bakery, image: str) -> Build:
    """The build that the catalogue says is current."""
    shelf = shop.catalogue.shelf(image)
    assert shelf.current, "nothing is promoted"
    return shelf.builds[shelf.current]


def start(shop: Bakery, *words: str) -> "subprocess.Popen[str]":
    """A bake in the background, in a group of its own as in a terminal."""
    return subprocess.Popen(
        shop.argv("bake", *words),
        cwd=shop.root,
        env=shop.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def tags(thing: Any) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in thing.get("Tags", [])}


def test_a_role_and_what_it_is_made_from_are_baked_tested_copied_and_promoted(
    shop: Bakery,
) -> None:
    said = shop.bake("ssh_node")
    assert {image: one["outcome"] for image, one in said.items()} == {
        "base": "done",
        "ssh-node": "done",
    }
    base, node = in_use(shop, "base"), in_use(shop, "ssh-node")
    assert node.parent == base.id
    assert set(base.regions) == {HERE}
    assert set(node.regions) == {HERE, ABROAD}
    (copy,) = shop.images(ABROAD)
    assert copy["ImageId"] == node.regions[ABROAD]
    for thing in (copy, *shop.snapshots(ABROAD)):
        assert tags(thing)["orchestrate:build"] == node.id
        assert tags(thing)["orchestrate:role"] == "ssh-node"
        assert tags(thing)["orchestrate:cookbooks"] == node.cookbooks
    assert shop.left() == []


def test_an_unchanged_image_is_not_baked_again(shop: Bakery) -> None:
    said = shop.bake("--all")
    assert {one["to_do"] for one in said.values()} == {"nothing"}


def test_s14_a_copy_given_up_halfway_is_tagged_and_taken_up_by_the_next_bake(
    shop: Bakery,
) -> None:
    before = in_use(shop, "ssh-node")
    (copy,) = shop.images(ABROAD)
    shop.ec2(ABROAD).deregister_image(ImageId=copy["ImageId"])
    fault = shop.account.lab.orchestrate
    fault("fault", "add", "slow", "--service", "ec2", "--action", "CopyImage", "--by", "3")
    baking = start(shop, "ssh-node")
    assert baking.stdout
    for line in baking.stdout:
        if "Copying" in line:
            break
    os.kill(baking.pid, signal.SIGINT)
    rest = baking.stdout.read()
    assert baking.wait() == 130, rest
    fault("fault", "clear")
    assert shop.left() == []

    shop.bake("ssh-node")
    after = in_use(shop, "ssh-node")
    assert after.id == before.id
    assert [one["ImageId"] for one in shop.images(ABROAD)] == [after.regions[ABROAD]]
    assert shop.left() == []


def test_s16_an_image_that_fails_its_tests_is_not_published_and_leaves_nothing(
    shop: Bakery,
) -> None:
    recipe = shop.root / "chef" / "cookbooks" / "fixture" / "recipes" / "default.rb"
    before, images = shop.catalogue, shop.images()
    recipe.write_text(RECIPE.replace("0644", "0640"))
    try:
        done = shop.orchestrate("bake", "ssh-node")
    finally:
        recipe.write_text(RECIPE)
    assert done.code == 1, done.stdout
    assert "test_the_marker_says_the_role" in done.stdout
    assert "skipped, because base failed" in done.stderr
    assert shop.catalogue == before
    assert shop.images() == images
    assert shop.left() == []


def test_ctrl_c_in_the_middle_leaves_no_instance_key_pair_or_group(shop: Bakery) -> None:
    images = shop.images()
    baking = start(shop, "base", "--force")
    until(shop.instances)
    os.kill(baking.pid, signal.SIGINT)
    said, _ = baking.communicate(timeout=PATIENCE_S)
    assert baking.returncode == 130, said
    assert shop.images() == images
    assert shop.left() == []


def test_what_a_killed_bake_left_is_removed_by_the_next(shop: Bakery) -> None:
    baking = start(shop, "base", "--force")
    until(shop.instances)
    baking.kill()
    baking.communicate()
    run = history.past_runs(shop.root / ".orchestrate" / "runs")[-1]
    child = run.stacks["base"].child
    assert child, "the journal names the Packer that was started"
    refused = shop.orchestrate("bake", "base")
    assert refused.code == 1
    assert "still baking base" in refused.stderr
    os.killpg(child.pid, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{child.pid}").exists())
    assert shop.left() != []

    done = shop.orchestrate("bake", "base")
    assert done.code == 0, done.stderr
    assert f"the bake {run.id} was killed; removed: i-" in done.stderr
    assert shop.left() == []


def test_s15_prune_removes_what_nobody_needs_from_all_regions(shop: Bakery) -> None:
    idle = older(shop, "ssh-node-20260101-0000-aaaaaa")
    used = older(shop, "ssh-node-20260102-0000-bbbbbb")
    shop.ec2(ABROAD).create_launch_template(
        LaunchTemplateName="hand-made", LaunchTemplateData={"ImageId": used.regions[ABROAD]}
    )
    current = in_use(shop, "ssh-node")
    snapshots = {region: len(shop.snapshots(region)) for region in (HERE, ABROAD)}

    dry = shop.orchestrate("images", "prune", "--keep", "1", "--dry-run")
    assert dry.code == 0
    assert set(shop.catalogue.shelf("ssh-node").builds) == {idle.id, used.id, current.id}
    assert shop.orchestrate("images", "prune", "--keep", "1").code == 1, "nobody was asked"
    done = shop.orchestrate("images", "prune", "--keep", "1", "--yes")

    assert done.code == 0, done.stderr
    assert "launch template hand-made, version 1" in done.stdout
    assert set(shop.catalogue.shelf("ssh-node").builds) == {used.id, current.id}
    for region in (HERE, ABROAD):
        there = {one["ImageId"] for one in shop.images(region)}
        assert {used.regions[region], current.regions[region]} <= there
        assert idle.regions[region] not in there
        assert len(shop.snapshots(region)) == snapshots[region] - 1


def older(shop: Bakery, build_id: str) -> Build:
    """An older build of ssh-node: copies of the current one's AMIs, written down as it would be."""
    now, regions = in_use(shop, "ssh-node"), {}
    for region, ami in now.regions.items():
        made = shop.ec2(region).copy_image(
            SourceImageId=ami, SourceRegion=region, Name=f"{shop.root.name}-{build_id}"
        )
        regions[region] = made["ImageId"]
    build = replace(now, id=build_id, regions=regions)
    catalogue_file.update(
        shop.catalogue_path,
        lambda found: promoted(recorded(found, "ssh-node", build), "ssh-node", now.id, []),
    )
    return build
