"""The fleet that `orchestrate init` writes."""

from pathlib import Path

import pytest

from orchestrate.fleet import start
from orchestrate.fleet.facts import zones
from orchestrate.fleet.load import read


@pytest.mark.parametrize("region", zones.known())
def test_the_first_fleet_has_no_findings_in_any_region(region: str, tmp_path: Path) -> None:
    texts = start.texts(name="lab", account="1" * 12, domain="lab.example.net", region=region)
    for path, text in texts.items():
        (tmp_path / "fleet" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fleet" / path).write_text(text, encoding="utf-8")
    reading = read(tmp_path / "fleet")
    assert reading.findings == ()
    assert reading.fleet is not None
    assert [cluster.region for cluster in reading.fleet.clusters.values()] == [region]


def test_what_is_commented_out_is_right_too(tmp_path: Path) -> None:
    """Somebody will take the # away and expect it to work."""
    texts = start.texts(name="lab", account="1" * 12, domain="a.example.net", region="us-west-2")
    for path, text in texts.items():
        lines = [
            line.replace("# ", "", 1) if line.lstrip().startswith("# ") and ":" in line else line
            for line in text.splitlines()
            if not line.startswith(("# yaml", "# What", "# One"))
        ]
        (tmp_path / "fleet" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fleet" / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    reading = read(tmp_path / "fleet")
    assert reading.findings == ()
    assert reading.fleet is not None
    assert "gpu" in reading.fleet.clusters["cluster-us-west"].node_groups
