"""The rendered roots: golden directories, a fleet in, Terraform out; `make golden` refreshes."""

import re
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from functools import cache
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from orchestrate.fleet.load import load
from orchestrate.fleet.models import Fleet
from orchestrate.ipam import ledger
from orchestrate.terraform import roots
from orchestrate.terraform.write import modules_from
from tests.hostile import HOSTILE

GOLDEN = Path(__file__).parents[2] / "golden"
CASES = sorted(case.name for case in GOLDEN.iterdir() if (case / "fleet").is_dir())


@cache
def fleet_of(case: str) -> Fleet:
    return load(GOLDEN / case / "fleet")


def rendered(case: str, fleet: Fleet, modules: str | None = None) -> dict[str, dict[str, str]]:
    given = ledger.preview(GOLDEN / case / "fleet" / ledger.NAME, fleet, date(2026, 1, 1)).after
    return roots.render(
        fleet, given.allocations, modules or modules_from(GOLDEN / case / "rendered")
    )


@pytest.mark.parametrize("case", CASES)
def test_a_fleet_renders_to_its_golden_directory(
    case: str, golden: Callable[[str, str], None], request: pytest.FixtureRequest
) -> None:
    files = {
        f"{case}/rendered/{stack}/{name}": text
        for stack, texts in rendered(case, fleet_of(case)).items()
        for name, text in texts.items()
    }
    for name, text in files.items():
        golden(name, text)
    strays = [
        file
        for file in (GOLDEN / case / "rendered").rglob("*.tf")
        if str(file.relative_to(GOLDEN)) not in files
    ]
    if request.config.getoption("--refresh-golden"):
        for stray in strays:
            stray.unlink()
    else:
        assert not strays, "no longer rendered; `make golden` removes them"


@pytest.mark.parametrize("case", CASES)
def test_some_stacks_alone_are_rendered_as_with_all_others(case: str) -> None:
    fleet, everything = fleet_of(case), rendered(case, fleet_of(case))
    given = ledger.preview(GOLDEN / case / "fleet" / ledger.NAME, fleet, date(2026, 1, 1)).after
    modules = modules_from(GOLDEN / case / "rendered")
    for stack, files in everything.items():
        alone = roots.render(fleet, given.allocations, modules, only={stack})
        assert alone == {stack: files}


@pytest.mark.parametrize("case", CASES)
def test_no_absolute_path_is_rendered(case: str) -> None:
    everything = str(rendered(case, fleet_of(case)))
    assert str(roots.TERRAFORM.parent) not in everything


def test_the_usual_build_folder_is_where_the_default_path_to_the_modules_starts() -> None:
    build = roots.TERRAFORM.parent / ".orchestrate" / "build" / "lab"
    assert modules_from(build) == roots.MODULES_FROM_BUILD


def test_every_rendered_stack_is_a_stack_and_the_other_way_round() -> None:
    fleet = fleet_of("example")
    assert list(rendered("example", fleet)) == list(roots.stacks(fleet))


def test_a_cluster_comes_after_global_and_reads_nothing() -> None:
    stack = roots.stacks(fleet_of("example"))["cluster-us-west"]
    after, tells = frozenset({"global"}), roots.CLUSTER_TELLS
    assert stack == roots.Stack("cluster-us-west", "us-west-2", after=after, tells=tells)


def test_mesh_comes_last_and_reads_every_other_stack() -> None:
    found = roots.stacks(fleet_of("example"))
    others = frozenset(found) - {"mesh"}
    assert found["mesh"] == roots.Stack("mesh", "us-west-2", after=others, reads=others)


def test_stacks_tell_what_mesh_reads_of_them_and_have_it() -> None:
    files = rendered("example", fleet_of("example"))
    read = set(re.findall(r"outputs(?:\[[^]]+\])?\.(\w+)", files["mesh"]["main.tf"]))
    assert read == roots.GLOBAL_TELLS | roots.CLUSTER_TELLS
    for stack, tells in (("global", roots.GLOBAL_TELLS), ("cluster-us-west", roots.CLUSTER_TELLS)):
        assert tells <= set(re.findall(r'^output "(\w+)"', files[stack]["outputs.tf"], re.M))


def test_a_fleet_without_clusters_has_nothing_to_join() -> None:
    fleet = fleet_of("example").model_copy(update={"clusters": {}})
    assert list(roots.stacks(fleet)) == ["global"]
    assert list(roots.render(fleet, {})) == ["global"]


def test_adding_a_cluster_changes_no_other_clusters_root() -> None:
    fleet = fleet_of("example")
    fewer = {name: fleet.clusters[name] for name in ("cluster-us-east", "cluster-us-west")}
    smaller = fleet.model_copy(update={"clusters": fewer})
    before, after = rendered("example", smaller), rendered("example", fleet)
    assert {name: before[name] for name in fewer} == {name: after[name] for name in fewer}


def test_a_root_grows_with_the_clusters_not_with_their_pairs() -> None:
    fleet = fleet_of("example")
    one = fleet.clusters["cluster-us-west"]

    def mesh_of(count: int) -> int:
        names = [f"{one.name}-{number:03}" for number in range(count)]
        many = {name: one.model_copy(update={"name": name}) for name in names}
        any_range: defaultdict[str, IPv4Network] = defaultdict(lambda: IPv4Network("10.0.0.0/16"))
        files = roots.render(fleet.model_copy(update={"clusters": many}), any_range)["mesh"]
        return len("".join(files.values()))

    ten, twenty, thirty = mesh_of(10), mesh_of(20), mesh_of(30)
    assert thirty - twenty == twenty - ten


def test_only_mesh_reads_the_state_of_others() -> None:
    for stack, files in rendered("example", fleet_of("example")).items():
        assert ("terraform_remote_state" in files["main.tf"]) == (stack == "mesh")


def test_every_output_is_described() -> None:
    told = {
        n: f["outputs.tf"]
        for n, f in rendered("corners", fleet_of("corners")).items()
        if n != "mesh"
    }
    for outputs in told.values():
        assert outputs.count('output "') == outputs.count("  description = ") > 0


@pytest.mark.parametrize("fleet", ["example", "corners"])
def test_mesh_tells_nothing_that_a_cluster_s_leaving_would_leave_untrue(fleet: str) -> None:
    files = rendered(fleet, fleet_of(fleet))["mesh"]
    assert not re.search(r"^output ", "".join(files.values()), re.MULTILINE)


def test_what_leaves_has_a_backend_and_its_providers_and_asks_for_nothing_else() -> None:
    fleet = fleet_of("example")
    files = roots.leaving(fleet, roots.Stack("cluster-old", "eu-north-1"), ["us-west-2"])
    assert list(files) == ["versions.tf"]
    text = files["versions.tf"]
    assert 'key          = "cluster-old.tfstate"' in text
    assert re.findall(r"region +.*= \"(.*)\"", text)[1:] == ["eu-north-1", "us-west-2"]
    assert not re.search(r"^(data|module|resource|variable) ", text, re.MULTILINE)


def test_mesh_keeps_the_providers_of_regions_it_still_has_something_in() -> None:
    fleet, given = (
        fleet_of("example"),
        ledger.preview(
            GOLDEN / "example" / "fleet" / ledger.NAME, fleet_of("example"), date(2026, 1, 1)
        ),
    )
    after = given.after.allocations
    files = roots.mesh_with(fleet, after, "m", ["ap-south-1"])
    assert 'alias               = "ap-south-1"' in files["versions.tf"]
    gone = roots.mesh_with(fleet, after, "m", ["eu-west-1"], without=["cluster-eu-west"])
    assert "cluster-eu-west" not in gone["main.tf"]
    assert 'alias               = "eu-west-1"' in gone["versions.tf"]
    last = roots.mesh_with(fleet, after, "m", ["eu-west-1"], without=list(fleet.clusters))
    assert list(last) == ["versions.tf"]


def said(text: str) -> dict[str, str]:
    """A cluster's rendered root whose free texts are this one, whatever the models would say."""
    cluster = fleet_of("example").clusters["cluster-us-west"]
    groups = {
        name: group.model_copy(update={"description": text})
        for name, group in cluster.node_groups.items()
    }
    changes = {"description": text, "node_groups": groups, "tags": {"why": text}}
    odd = {cluster.name: cluster.model_copy(update=changes)}
    fleet = fleet_of("example").model_copy(update={"clusters": odd})
    return rendered("example", fleet)[cluster.name]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_a_fleet_says_stays_text_though_nobody_checked_it(text: str) -> None:
    # What is said lies in quotes or behind a `#`; without both the program is the same.
    plain = said("plain words")
    assert {name: program(written) for name, written in said(text).items()} == {
        name: program(written) for name, written in plain.items()
    }


def program(text: str) -> list[str]:
    """The lines without comments and spaces, with nothing left between quotes."""
    bare = [re.sub(r'"(\\.|[^"\\])*"', '""', re.sub("^ *#.*", "", one)) for one in text.split("\n")]
    return [line.replace(" ", "") for line in bare if line]
