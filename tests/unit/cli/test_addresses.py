"""`orchestrate addresses`, run as an operator runs it, on a copy of the example fleet."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from orchestrate.cli.main import cli
from orchestrate.errors import InvalidInput, OrchestrateError

EXAMPLE = Path(__file__).parents[2] / "golden" / "example" / "fleet"
Run = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "fleet")
    return tmp_path


@pytest.fixture
def run(root: Path) -> Run:
    def run_(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["--root", str(root), "addresses", *arguments])

    return run_


def add_cluster(root: Path, name: str) -> None:
    text = (root / "fleet/clusters/cluster-eu-west.yaml").read_text()
    text = text.replace("name: cluster-eu-west", f"name: {name}")
    (root / f"fleet/clusters/{name}.yaml").write_text(text)


def ledger_text(root: Path) -> str:
    return (root / "fleet/addresses.lock.yaml").read_text()


def test_the_table_says_who_has_what_and_what_is_free(run: Run) -> None:
    result = run()
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    assert ["cluster-us-west/vpc", "10.3.0.0/16", "65,536", "cloud"] in lines
    assert ["cluster-us-west/public/us-west-2a", "10.3.96.0/24", "256", "vpc"] in lines
    assert ["cloud", "10.0.0.0/10", "196,608", "·", "65,536", "3,932,160", "/11"] in lines


def test_names_narrow_the_ranges_and_not_the_pools(run: Run) -> None:
    document = json.loads(run("site-sf", "cluster-us-east", "--json").output)
    owners = {each["key"].split("/")[0] for each in document["ranges"]}
    assert owners == {"site-sf", "cluster-us-east"}
    assert len(document["pools"]) == 5


def test_json_has_every_range_and_pool(run: Run) -> None:
    document = json.loads(run("--json").output)
    by_key = {each["key"]: each for each in document["ranges"]}
    assert by_key["cluster-us-west/private/us-west-2b"] == {
        "key": "cluster-us-west/private/us-west-2b",
        "range": "10.3.32.0/19",
        "addresses": 8192,
        "pool": None,
        "inside": "cluster-us-west/vpc",
        "state": "given",
        "until": None,
    }
    cloud = next(each for each in document["pools"] if each["pool"] == "cloud")
    uses = ("given", "resting", "reserved", "external", "free")
    assert sum(cloud[use] for use in uses) == 2**22
    assert cloud["largest_free_prefix"] == 11


def test_an_unknown_name_gets_the_nearest(run: Run) -> None:
    error = run("cluster-us-wets").exception
    assert isinstance(error, OrchestrateError)
    assert "no cluster or site 'cluster-us-wets'" in str(error)
    assert "cluster-us-west" in str(error)


def test_showing_writes_nothing_and_marks_what_is_missing(run: Run, root: Path) -> None:
    add_cluster(root, "cluster-new")
    before = ledger_text(root)
    document = json.loads(run("cluster-new", "--json").output)
    assert {each["state"] for each in document["ranges"]} == {"not written"}
    assert "10.4.0.0/16" in run("cluster-new").output
    assert ledger_text(root) == before


def test_names_beside_write_are_refused_and_nothing_is_given(run: Run, root: Path) -> None:
    before = (root / "fleet/addresses.lock.yaml").read_text()
    for name in ("cluster-us-west", "no-such-cluster"):
        ended = run("--write", name)
        assert (ended.exit_code, "name none with it" in ended.output) == (2, True)
    assert (root / "fleet/addresses.lock.yaml").read_text() == before


def test_write_gives_out_what_is_missing_and_says_so(run: Run, root: Path) -> None:
    add_cluster(root, "cluster-new")
    assert "+ cluster-new/vpc  10.4.0.0/16  added" in run("--write").output
    assert "  cluster-new/vpc: {range: 10.4.0.0/16, pool: cloud}\n" in ledger_text(root)
    assert run("--write").output == "the ledger has every range already\n"


def test_what_was_released_rests_in_table_and_json(run: Run, root: Path) -> None:
    (root / "fleet/clusters/cluster-us-east.yaml").unlink()
    written = json.loads(run("--write", "--json").output)
    assert written["added"] == {}
    assert written["released"]["cluster-us-east/vpc"] == "10.2.0.0/16"
    assert "rests until 20" in run("cluster-us-east").output
    assert {
        each["state"] for each in json.loads(run("cluster-us-east", "--json").output)["ranges"]
    } == {"resting"}


def test_the_map_draws_pools_and_the_named_networks(run: Run) -> None:
    drawn = run("cluster-us-west", "--map").output
    assert "  10.0.0.0        /ABC" + "·" * 60 in drawn
    assert "cluster-us-west/vpc  10.3.0.0/16  (one cell: a /24, 256 addresses)" in drawn
    assert "  10.3.64.0       " + "C" * 32 + "DEF" in drawn
    assert "A cluster-eu-west" in drawn


def test_without_a_terminal_there_is_no_map_unless_asked_for(run: Run) -> None:
    assert "one cell" not in run().output


def test_svg_is_a_picture_with_every_owner(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "map.svg"
    assert run("--svg", str(file)).output == f"drew {file}\n"
    picture = ElementTree.parse(file).getroot()
    words = {element.text for element in picture.iter() if element.tag.endswith("text")}
    assert {"cluster-us-west", "site-sf", "cloud  10.0.0.0/10"} <= words


def test_a_picture_that_cannot_be_written_is_an_error(run: Run, tmp_path: Path) -> None:
    error = run("--svg", str(tmp_path / "no" / "map.svg")).exception
    assert isinstance(error, OrchestrateError)
    assert "cannot write the picture: No such file or directory" in str(error)


def test_a_full_pool_is_shown_before_it_is_explained(run: Run, root: Path) -> None:
    add_cluster(root, "cluster-new")
    file = root / "fleet/fleet.yaml"
    file.write_text(
        file.read_text().replace(
            "vpn:      {range: 10.80.0.0/14}",
            "vpn:      {range: 10.80.0.0/18, reserved: [10.80.48.0/20]}",
        )
    )
    result = run()
    assert ["vpn", "10.80.0.0/18", "12,288", "·", "4,096", "·", "full"] in [
        line.split() for line in result.output.splitlines()
    ]
    assert isinstance(result.exception, InvalidInput)
    assert "no room for cluster-new/vpn-clients (/20); free blocks: none" in str(result.exception)


def test_a_corrupt_ledger_is_refused_and_kept(run: Run, root: Path) -> None:
    corrupt = ledger_text(root).replace("10.3.0.0/16", "10.3.4.0/16")
    (root / "fleet/addresses.lock.yaml").write_text(corrupt)
    for arguments in ([], ["--write"]):
        assert isinstance(run(*arguments).exception, InvalidInput)
    assert ledger_text(root) == corrupt
